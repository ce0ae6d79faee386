package v1alpha1

import "k8s.io/apimachinery/pkg/runtime"

// Options are the flags of the command line that shape a migration, under the same names.
// An option that is left out is what the flag's default is.
type Options struct {
	// How nodes get their provider after the switch.
	// +optional
	EndState EndState `json:"endState,omitempty"`
	// How the chart of the cloud controller manager gets into the cluster.
	// +optional
	InstallMethod InstallMethod `json:"installMethod,omitempty"`
	// When the cloud controller manager takes the cloud controllers over: in a step of its
	// own before the switch, when the one before has had to give up or as soon as it is
	// seen to have ended, or by the switch.
	// +optional
	HandOver HandOver `json:"handOver,omitempty"`
	// Whether the cloud controller manager maintains VPC routes.
	// +optional
	CloudRoutes Switch `json:"cloudRoutes,omitempty"`
	// Whether a migration begins with a snapshot of etcd; under Handoff only if Enabled.
	// +optional
	EtcdSnapshot Switch `json:"etcdSnapshot,omitempty"`
	// Whether leader migration stays on after the switch.
	// +optional
	KeepLeaderMigration Switch `json:"keepLeaderMigration,omitempty"`
	// The longest time without progress, such as 15m; 1 minute to 1 day.
	// +kubebuilder:validation:Pattern=`^([0-9]+h)?([0-9]+m)?$`
	// +kubebuilder:validation:MaxLength=8
	// +kubebuilder:validation:XValidation:rule="self == '' || (duration(self) >= duration('1m') && duration(self) <= duration('24h'))",message="must be from 1m to 24h"
	// +optional
	Timeout string `json:"timeout,omitempty"`
	// Tools that keep the cluster's configuration, such as terraform, and that have what
	// is written.
	// +kubebuilder:validation:MaxItems=8
	// +kubebuilder:validation:items:Pattern=`^[a-z][a-z0-9-]*$`
	// +kubebuilder:validation:items:MaxLength=64
	// +listType=atomic
	// +optional
	OwnerInformed []string `json:"ownerInformed,omitempty"`
	// Checks that are not made, with the reason. Those that guard a cluster are made all
	// the same.
	// +kubebuilder:validation:MaxItems=64
	// +listType=map
	// +listMapKey=id
	// +optional
	SkipChecks []SkippedCheck `json:"skipChecks,omitempty"`
	// The cloud controller manager.
	// +optional
	CCM CCM `json:"ccm,omitzero"`
	// How AWS is asked; by default with the identity that AWS gives the pod.
	// +optional
	AWS AWS `json:"aws,omitzero"`
}

// Switch is a choice that somebody made one way or the other, or not at all. It is no
// boolean, in which false and absent would be two things, and its words are none that
// YAML reads as a boolean.
// +kubebuilder:validation:Enum="";Enabled;Disabled
type Switch string

const (
	// Enabled asks for it.
	Enabled Switch = "Enabled"
	// Disabled refuses it.
	Disabled Switch = "Disabled"
)

// EndState is how nodes get their provider after the switch.
// +kubebuilder:validation:Enum="";Auto;External;Overrides
type EndState string

const (
	// EndStateAuto lets the nodes' names decide. An absent one is the same.
	EndStateAuto EndState = "Auto"
	// EndStateExternal is Rancher's own setting.
	EndStateExternal EndState = "External"
	// EndStateOverrides keeps the names by arguments of the kubelet.
	EndStateOverrides EndState = "Overrides"
)

// InstallMethod is how the chart gets into the cluster.
// +kubebuilder:validation:Enum="";Helm;AdditionalManifest
type InstallMethod string

const (
	// InstallHelm is a Helm release. An absent method is the same.
	InstallHelm InstallMethod = "Helm"
	// InstallAdditionalManifest is a document in the Cluster object.
	InstallAdditionalManifest InstallMethod = "AdditionalManifest"
)

// HandOver is when the cloud controllers change hands.
// +kubebuilder:validation:Enum="";Early;Clear;Natural
type HandOver string

const (
	// HandOverEarly is before the switch, where every condition for it is there.
	HandOverEarly HandOver = "Early"
	// HandOverClear is early, and as soon as a kubelet has shown that the one before has
	// ended, where it shows that.
	HandOverClear HandOver = "Clear"
	// HandOverNatural is with the switch. An absent one is the same.
	HandOverNatural HandOver = "Natural"
)

// SkippedCheck is a check that is not made.
type SkippedCheck struct {
	// Its ID, as in docs/checks.md.
	// +kubebuilder:validation:Pattern=`^[A-Z]{4}-[0-9]{3}$`
	// +kubebuilder:validation:MaxLength=8
	ID string `json:"id"`
	// Why, for whoever reads the history.
	// +kubebuilder:validation:MinLength=10
	// +kubebuilder:validation:MaxLength=256
	Reason string `json:"reason"`
}

// CCM is what may be chosen of the cloud controller manager.
type CCM struct {
	// Its image; by default the one that fits the cluster's version.
	// +kubebuilder:validation:Pattern=`^([0-9A-Za-z][0-9A-Za-z._:/@-]*)?$`
	// +kubebuilder:validation:MaxLength=512
	// +optional
	Image string `json:"image,omitempty"`
	// Values of its chart, merged over those that fit the cluster. At most 64 KiB.
	// +kubebuilder:validation:Schemaless
	// +kubebuilder:validation:Type=object
	// +kubebuilder:pruning:PreserveUnknownFields
	// +kubebuilder:validation:MaxProperties=64
	// +optional
	Values *runtime.RawExtension `json:"values,omitempty"`
	// Key of a Secret with its cloud config; by default that of the in-tree provider.
	// +optional
	CloudConfigSecretRef *SecretKey `json:"cloudConfigSecretRef,omitempty"`
}

// AWS says how AWS is asked.
type AWS struct {
	// Whether it is asked.
	// +optional
	Mode AWSMode `json:"mode,omitempty"`
	// Its region.
	// +kubebuilder:validation:Pattern=`^[a-z0-9-]*$`
	// +kubebuilder:validation:MaxLength=32
	// +optional
	Region string `json:"region,omitempty"`
	// ARN of a role to assume.
	// +kubebuilder:validation:Pattern=`^(arn:aws[a-z-]*:iam::[0-9]{12}:role/[0-9A-Za-z+=,.@_/-]+)?$`
	// +kubebuilder:validation:MaxLength=640
	// +optional
	AssumeRole string `json:"assumeRole,omitempty"`
	// Secret with AWS_ACCESS_KEY_ID and the like.
	// +optional
	SecretRef *Secret `json:"secretRef,omitempty"`
}

// AWSMode says whether AWS is asked.
// +kubebuilder:validation:Enum="";Auto;Enabled;Disabled
type AWSMode string

const (
	// AWSAuto asks where that is possible. An absent mode is the same.
	AWSAuto AWSMode = "Auto"
	// AWSEnabled asks, and fails where that is not possible.
	AWSEnabled AWSMode = "Enabled"
	// AWSDisabled does not ask.
	AWSDisabled AWSMode = "Disabled"
)

// Secret names one in the namespace of the ClusterMigration. It is read only if its
// annotation rke.cattle.io/object-authorized-for-clusters names this cluster.
type Secret struct {
	// Its name.
	// +kubebuilder:validation:Pattern=`^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$`
	// +kubebuilder:validation:MaxLength=253
	Name string `json:"name"`
}

// SecretKey names one key of a Secret.
type SecretKey struct {
	Secret `json:",inline"`
	// The key.
	// +kubebuilder:validation:Pattern=`^[0-9A-Za-z._-]+$`
	// +kubebuilder:validation:MaxLength=253
	Key string `json:"key"`
}
