package controller

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"github.com/awsmigrate/awsmigrate/internal/session"
	"github.com/awsmigrate/awsmigrate/pkg/apis/awsmigrate.io/v1alpha1"
	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/rke2/rke2checks"
	"github.com/awsmigrate/awsmigrate/pkg/verify/aws"
)

// choices are the fields of an object as the flags of the command line would have them.
// They name no Secret yet: see withSecrets.
func choices(spec v1alpha1.ClusterMigrationSpec) (session.Choices, error) {
	o := spec.Options
	handsOver := spec.Edits == v1alpha1.EditsHandoff
	c := session.Choices{EndState: rke2checks.EndState(lowered(string(o.EndState), "auto"))}
	c.Options = migration.Options{
		InstallMethod:       installMethod(o.InstallMethod),
		Snapshot:            o.EtcdSnapshot == v1alpha1.Enabled || o.EtcdSnapshot == "" && !handsOver,
		KeepLeaderMigration: o.KeepLeaderMigration == v1alpha1.Enabled,
		DisableAsked:        o.KeepLeaderMigration == v1alpha1.Disabled,
		EarlyHandOver:       o.HandOver == v1alpha1.HandOverEarly || o.HandOver == v1alpha1.HandOverClear,
		ClearFence:          o.HandOver == v1alpha1.HandOverClear,
		CloudRoutes:         map[v1alpha1.Switch]string{v1alpha1.Enabled: "on", v1alpha1.Disabled: "off"}[o.CloudRoutes],
		CCMImage:            o.CCM.Image,
		AWS:                 map[v1alpha1.AWSMode]string{"": "auto", v1alpha1.AWSAuto: "auto", v1alpha1.AWSEnabled: "on", v1alpha1.AWSDisabled: "off"}[o.AWS.Mode],
		Region:              o.AWS.Region, AssumeRole: o.AWS.AssumeRole,
		OwnersInformed: o.OwnerInformed, HandOver: handsOver,
		Skip: map[string]string{}, Values: map[string]any{},
	}
	for _, skipped := range o.SkipChecks {
		c.Skip[skipped.ID] = skipped.Reason
	}
	if o.CCM.Values != nil && len(o.CCM.Values.Raw) > 0 {
		if err := json.Unmarshal(o.CCM.Values.Raw, &c.Values); err != nil {
			return c, fault.AsUsage(fmt.Errorf("spec.options.ccm.values: %w", err))
		}
	}
	return c, nil
}

// orElse completes what an object says of AWS by what the installation says. The
// installation's role is for its own identity: whose object names a Secret does not get it.
func orElse(object, installation v1alpha1.AWS) v1alpha1.AWS {
	if object.Mode == "" {
		object.Mode = installation.Mode
	}
	if object.Region == "" {
		object.Region = installation.Region
	}
	if object.AssumeRole == "" && object.SecretRef == nil {
		object.AssumeRole = installation.AssumeRole
	}
	return object
}

func lowered(word, otherwise string) string {
	if word == "" {
		return otherwise
	}
	return strings.ToLower(word)
}

func installMethod(m v1alpha1.InstallMethod) migration.InstallMethod {
	if m == v1alpha1.InstallAdditionalManifest {
		return migration.InstallManifest
	}
	return migration.InstallHelm
}

// timeout is the longest time without progress; zero: the engine's.
func timeout(o v1alpha1.Options) time.Duration {
	longest, err := time.ParseDuration(o.Timeout)
	if err != nil {
		return 0 // Validate has refused what is none
	}
	return longest
}

// authorized is Rancher's own annotation for Secrets that a cluster's configuration may
// name (rancher/rancher:pkg/capr/common.go@v2.8.5, AuthorizedObjectAnnotation): the names
// of clusters, separated by commas.
const authorized = "rke.cattle.io/object-authorized-for-clusters"

// secrets reads those that an object names. Whoever may write one object of a namespace
// must not get at another tenant's Secrets by it.
type secrets struct {
	kube kubernetes.Interface
	key  Key
}

// into completes choices by what the Secrets hold that the object names.
func (s secrets) into(ctx context.Context, c *session.Choices, o v1alpha1.Options, process aws.Identity) error {
	c.AWSIdentity = process
	if ref := o.AWS.SecretRef; ref != nil {
		data, err := s.read(ctx, ref.Name, "spec.options.aws.secretRef")
		if err != nil {
			return err
		}
		c.AWSIdentity = aws.Identity{Keys: aws.Keys{ID: string(data["AWS_ACCESS_KEY_ID"]), Secret: string(data["AWS_SECRET_ACCESS_KEY"]), Token: string(data["AWS_SESSION_TOKEN"])}, Endpoint: process.Endpoint}
	}
	if ref := o.CCM.CloudConfigSecretRef; ref != nil {
		const field = "spec.options.ccm.cloudConfigSecretRef"
		data, err := s.read(ctx, ref.Name, field)
		if err != nil {
			return err
		}
		text, has := data[ref.Key]
		if !has {
			return refused(field, s.object(ref.Name), "has no key "+ref.Key, "a key with the cloud config")
		}
		c.CloudConfig = string(text)
	}
	return nil
}

func (s secrets) object(name string) string {
	return fmt.Sprintf("Secret %s/%s", s.key.Namespace, name)
}

func (s secrets) read(ctx context.Context, name, field string) (map[string][]byte, error) {
	secret, err := s.kube.CoreV1().Secrets(s.key.Namespace).Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return nil, &fault.Error{Class: fault.CouldNotLook, Reason: "SecretUnread", Object: s.object(name), Seen: "could not be read, and " + field + " names it", Err: err}
	}
	if !allows(secret, s.key.Name) {
		return nil, refused(field, s.object(name), "is not authorized for cluster "+s.key.Name, "annotation "+authorized+" that names the cluster")
	}
	for key, value := range secret.Data {
		if isKubeconfig(value) {
			return nil, refused(field, s.object(name), "holds a kubeconfig in key "+key, "no kubeconfig: those of clusters are no cloud config")
		}
	}
	return secret.Data, nil
}

func allows(secret *corev1.Secret, cluster string) bool {
	return slices.ContainsFunc(strings.Split(secret.Annotations[authorized], ","), func(name string) bool { return strings.TrimSpace(name) == cluster })
}

// isKubeconfig errs on the side of refusing: a cloud config is an INI file.
func isKubeconfig(value []byte) bool {
	text := string(value)
	return strings.Contains(text, "clusters") && strings.Contains(text, "users") && strings.Contains(text, "contexts")
}

func refused(field, object, seen, wanted string) error {
	return &fault.Error{Class: fault.Usage, Reason: "SecretRefused", Object: object, Seen: seen + ", and " + field + " names it", Wanted: wanted,
		Fix: "change " + field + ", or have an owner of the Secret authorize it"}
}
