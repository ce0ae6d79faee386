package choices

import (
	"context"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"

	"github.com/awsmigrate/awsmigrate/internal/session"
	"github.com/awsmigrate/awsmigrate/pkg/apis/awsmigrate.io/v1alpha1"
	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/verify/aws"
)

// authorized is Rancher's annotation for Secrets that a cluster's configuration may name
// (rancher/rancher:pkg/capr/common.go@v2.8.5, AuthorizedObjectAnnotation). Its value is a
// comma-separated list of clusters.
const authorized = "rke.cattle.io/object-authorized-for-clusters"

// Secrets reads the Secrets that an object names. A user who may write one object in a namespace
// must not get access to another tenant's Secrets.
type Secrets struct {
	Client kubernetes.Interface
	Key    types.NamespacedName // of the cluster
}

// Into fills choices from the content of the Secrets that the object names.
func (s Secrets) Into(ctx context.Context, c *session.Choices, o v1alpha1.Options, process aws.Identity) error {
	c.AWSIdentity = process
	if ref := o.AWS.SecretRef; ref != nil {
		data, err := s.read(ctx, ref.Name, "spec.options.aws.secretRef")
		if err != nil {
			return err
		}
		c.AWSIdentity = process.With(aws.Keys{ID: string(data["AWS_ACCESS_KEY_ID"]), Secret: string(data["AWS_SECRET_ACCESS_KEY"]), Token: string(data["AWS_SESSION_TOKEN"])})
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

func (s Secrets) object(name string) string {
	return fmt.Sprintf("Secret %s/%s", s.Key.Namespace, name)
}

func (s Secrets) read(ctx context.Context, name, field string) (map[string][]byte, error) {
	secret, err := s.Client.CoreV1().Secrets(s.Key.Namespace).Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return nil, &fault.Error{Class: fault.CouldNotLook, Reason: "SecretUnread", Object: s.object(name), Seen: "could not be read, and " + field + " names it", Err: err}
	}
	if !allows(secret, s.Key.Name) {
		return nil, refused(field, s.object(name), "is not authorized for cluster "+s.Key.Name, "annotation "+authorized+" that names the cluster")
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

// isKubeconfig reports whether a value may be a kubeconfig. In doubt it returns true; a cloud
// config is an INI file.
func isKubeconfig(value []byte) bool {
	text := string(value)
	return strings.Contains(text, "clusters") && strings.Contains(text, "users") && strings.Contains(text, "contexts")
}

func refused(field, object, seen, wanted string) error {
	return &fault.Error{Class: fault.Usage, Reason: "SecretRefused", Object: object, Seen: seen + ", and " + field + " names it", Wanted: wanted,
		Fix: "change " + field + ", or have an owner of the Secret authorize it"}
}
