package rkestate

import (
	"context"
	"encoding/json"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"github.com/awsmigrate/awsmigrate/pkg/bounded"
	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/rke/rkecli"
	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

// ObjectName is the name of the Secret, of the ConfigMap of older binaries, and of the key in
// both (rancher/rke:cluster/state.go@v1.5.9, FullState).
const ObjectName = "full-cluster-state"

// Full holds the few values that are read of rke's full cluster state. The full state contains
// every private key of the cluster: it is neither kept nor logged.
type Full struct {
	Source  string // "Secret kube-system/full-cluster-state", or the file
	Desired Applied
	Current Applied
}

// Applied is one half of the state: `rke up` writes desiredState when it begins, and currentState
// after the control plane and before the workers.
type Applied struct {
	Known  bool // whether the half exists
	Config Config
	// Tree holds the configuration as decoded JSON, for comparison with cluster.yml.
	Tree map[string]any
}

// Config is the stored configuration, with rke's JSON keys, the resolved provider name and all
// defaults.
type Config struct {
	ClusterName       string            `json:"clusterName"`
	KubernetesVersion string            `json:"kubernetesVersion"`
	CloudProvider     Provider          `json:"cloudProvider"`
	Services          Services          `json:"services"`
	Nodes             []Node            `json:"nodes"`
	SystemImages      map[string]string `json:"systemImages"`
}

// Provider is the section cloudProvider.
type Provider struct {
	Name                        string          `json:"name"`
	UseInstanceMetadataHostname *bool           `json:"useInstanceMetadataHostname"`
	AWS                         json.RawMessage `json:"awsCloudProvider"`
	Custom                      string          `json:"customCloudProvider"`
}

// Services holds the settings of the components.
type Services struct {
	KubeController Service `json:"kubeController"`
	KubeAPI        Service `json:"kubeApi"`
	Kubelet        Service `json:"kubelet"`
	Kubeproxy      Service `json:"kubeproxy"`
}

// Service is one entry of services in rke's state.
type Service struct {
	ExtraArgs             map[string]string   `json:"extraArgs"`
	ExtraArgsArray        map[string][]string `json:"extraArgsArray"`
	ExtraBinds            []string            `json:"extraBinds"`
	ExtraEnv              []string            `json:"extraEnv"`
	ClusterCIDR           string              `json:"clusterCidr"`
	ServiceClusterIPRange string              `json:"serviceClusterIpRange"`
}

// Node is a host.
type Node struct {
	Address          string   `json:"address"`
	InternalAddress  string   `json:"internalAddress"`
	HostnameOverride string   `json:"hostnameOverride"`
	Role             []string `json:"role"`
}

// limits returns the limits of a state's text. A Secret holds 1 MiB of it; the file of 250 hosts
// has 4 MB and 20,000 values. A state at the limits needs at most 128 MB to decode.
func limits() bounded.Limits { return bounded.Limits{Bytes: 8 << 20, Values: 1 << 17} }

// Parse decodes the fields of Full and discards the rest.
func Parse(source string, text []byte) (Full, error) {
	type half struct {
		Config json.RawMessage `json:"rkeConfig"`
	}
	var whole struct {
		Desired half `json:"desiredState"`
		Current half `json:"currentState"`
	}
	bad := func(err error) error {
		// The cause may quote the text, which contains keys.
		return &fault.Error{Class: fault.CouldNotLook, Reason: "BadState", Object: source,
			Seen: fmt.Sprintf("cannot be decoded (%T)", err), Wanted: "the state that rke wrote", Fix: "rke util get-state-file"}
	}
	if err := limits().CheckJSON(text); err != nil {
		return Full{}, &fault.Error{Class: fault.CouldNotLook, Reason: "BadState", Object: source, Seen: err.Error(),
			Wanted: "the state that rke wrote, of at most " + limits().String(), Fix: "rke util get-state-file"}
	}
	if err := json.Unmarshal(text, &whole); err != nil {
		return Full{}, bad(err)
	}
	state := Full{Source: source}
	for _, part := range []struct {
		raw  json.RawMessage
		into *Applied
	}{{whole.Desired.Config, &state.Desired}, {whole.Current.Config, &state.Current}} {
		if len(part.raw) == 0 || string(part.raw) == "null" {
			continue
		}
		if err := json.Unmarshal(part.raw, &part.into.Config); err != nil {
			return Full{}, bad(err)
		}
		if err := json.Unmarshal(part.raw, &part.into.Tree); err != nil {
			return Full{}, bad(err)
		}
		part.into.Known = true
	}
	return state, nil
}

// Read reads the state that rke keeps in the cluster: the Secret, or else the ConfigMap that
// binaries before v1.4.19, v1.5.10 and v1.6.0 wrote.
func Read(ctx context.Context, kube kubernetes.Interface) (Full, error) {
	object := "Secret kube-system/" + ObjectName
	secret, err := kube.CoreV1().Secrets(wellknown.System).Get(ctx, ObjectName, metav1.GetOptions{})
	if err == nil {
		return Parse(object, secret.Data[ObjectName])
	}
	if !apierrors.IsNotFound(err) {
		return Full{}, migration.CouldNotRead(object, err)
	}
	object = "ConfigMap kube-system/" + ObjectName
	file, err := kube.CoreV1().ConfigMaps(wellknown.System).Get(ctx, ObjectName, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return Full{}, &fault.Error{Class: fault.Usage, Reason: rkecli.ReasonNotRKE, Object: object,
			Seen:   "neither it nor a Secret of that name exists",
			Wanted: "an RKE cluster: rke keeps its state there", Fix: "check --kubeconfig; the default is kube_config_<file> next to cluster.yml"}
	}
	if err != nil {
		return Full{}, migration.CouldNotRead(object, err)
	}
	return Parse(object, []byte(file.Data[ObjectName]))
}

// Provider returns the value of a component's --cloud-provider: rke translates external-aws
// (rancher/rke:cluster/plan.go@v1.5.9).
func (c Config) Provider() string {
	if c.CloudProvider.Name == ProviderExternal {
		return "external"
	}
	return c.CloudProvider.Name
}
