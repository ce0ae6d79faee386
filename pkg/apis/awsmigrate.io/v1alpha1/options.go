package v1alpha1

import "k8s.io/apimachinery/pkg/runtime"

// Options holds the flags of the command line that affect a migration, under the same
// names. An absent option has the default of its flag.
type Options struct {
	// The way in which nodes get their provider after the switch.
	// +optional
	EndState EndState `json:"endState,omitempty"`
	// The method that installs the chart of the cloud controller manager.
	// +optional
	InstallMethod InstallMethod `json:"installMethod,omitempty"`
	// The time of the hand-over to the cloud controller manager. Early uses a separate step
	// before the switch, Natural uses the switch. An absent value means Early.
	// +optional
	HandOver HandOver `json:"handOver,omitempty"`
	// Whether the cloud controller manager maintains VPC routes.
	// +optional
	CloudRoutes Switch `json:"cloudRoutes,omitempty"`
	// Whether a migration begins with a snapshot of etcd; with Handoff only if Enabled.
	// +optional
	EtcdSnapshot Switch `json:"etcdSnapshot,omitempty"`
	// Whether leader migration stays on after the switch.
	// +optional
	KeepLeaderMigration Switch `json:"keepLeaderMigration,omitempty"`
	// The maximum time without progress, such as 15m; 1 minute to 1 day.
	// +kubebuilder:validation:Pattern=`^([0-9]+h)?([0-9]+m)?$`
	// +kubebuilder:validation:MaxLength=8
	// +kubebuilder:validation:XValidation:rule="self == '' || (duration(self) >= duration('1m') && duration(self) <= duration('24h'))",message="must be from 1m to 24h"
	// +optional
	Timeout string `json:"timeout,omitempty"`
	// Tools that own the cluster's configuration, such as terraform, and that have the new
	// configuration.
	// +kubebuilder:validation:MaxItems=8
	// +kubebuilder:validation:items:Pattern=`^[a-z][a-z0-9-]*$`
	// +kubebuilder:validation:items:MaxLength=64
	// +listType=atomic
	// +optional
	OwnerInformed []string `json:"ownerInformed,omitempty"`
	// Checks to skip, with the reason. Checks that decide safety are never skipped.
	// +kubebuilder:validation:MaxItems=64
	// +listType=map
	// +listMapKey=id
	// +optional
	SkipChecks []SkippedCheck `json:"skipChecks,omitempty"`
	// The cloud controller manager.
	// +optional
	CCM CCM `json:"ccm,omitzero"`
	// Access to AWS; by default with the AWS identity of the pod.
	// +optional
	AWS AWS `json:"aws,omitzero"`
}

// Switch is a choice with three values: enabled, disabled, or absent. It is no boolean: as
// zero and absent mean the same, false could not differ from absent. YAML reads none of its
// words as a boolean.
// +kubebuilder:validation:Enum="";Enabled;Disabled
type Switch string

const (
	// Enabled requests it.
	Enabled Switch = "Enabled"
	// Disabled refuses it.
	Disabled Switch = "Disabled"
)

// EndState is the way in which nodes get their provider after the switch.
// +kubebuilder:validation:Enum="";Auto;External;Overrides
type EndState string

const (
	// EndStateAuto decides by the nodes' names. An absent end state means the same.
	EndStateAuto EndState = "Auto"
	// EndStateExternal uses Rancher's own setting.
	EndStateExternal EndState = "External"
	// EndStateOverrides keeps the names by arguments of the kubelet.
	EndStateOverrides EndState = "Overrides"
)

// InstallMethod is the method that installs the chart.
// +kubebuilder:validation:Enum="";Helm;AdditionalManifest
type InstallMethod string

const (
	// InstallHelm uses a Helm release. An absent method means the same.
	InstallHelm InstallMethod = "Helm"
	// InstallAdditionalManifest uses a document in the Cluster object.
	InstallAdditionalManifest InstallMethod = "AdditionalManifest"
)

// HandOver is the time at which the cloud controllers change hands.
// +kubebuilder:validation:Enum="";Early;Natural
type HandOver string

const (
	// HandOverEarly hands over before the switch, if every condition is met. An absent value
	// means the same.
	HandOverEarly HandOver = "Early"
	// HandOverNatural hands over with the switch.
	HandOverNatural HandOver = "Natural"
)

// SkippedCheck names a check to skip.
type SkippedCheck struct {
	// Its ID, as in docs/checks.md.
	// +kubebuilder:validation:Pattern=`^[A-Z]{4}-[0-9]{3}$`
	// +kubebuilder:validation:MaxLength=8
	ID string `json:"id"`
	// The reason, for readers of the history.
	// +kubebuilder:validation:MinLength=10
	// +kubebuilder:validation:MaxLength=256
	Reason string `json:"reason"`
}

// CCM holds the options of the cloud controller manager.
type CCM struct {
	// Its image; by default the image that fits the cluster's version.
	// +kubebuilder:validation:Pattern=`^([0-9A-Za-z][0-9A-Za-z._:/@-]*)?$`
	// +kubebuilder:validation:MaxLength=512
	// +optional
	Image string `json:"image,omitempty"`
	// Values of its chart, merged over the values that fit the cluster. At most 64 KiB.
	// +kubebuilder:validation:Schemaless
	// +kubebuilder:validation:Type=object
	// +kubebuilder:pruning:PreserveUnknownFields
	// +kubebuilder:validation:MaxProperties=64
	// +optional
	Values *runtime.RawExtension `json:"values,omitempty"`
	// Key of a Secret with its cloud config; by default the cloud config of the in-tree
	// provider.
	// +optional
	CloudConfigSecretRef *SecretKey `json:"cloudConfigSecretRef,omitempty"`
}

// AWS holds the options of the access to AWS.
type AWS struct {
	// Whether awsmigrate uses AWS.
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
	// Secret with keys such as AWS_ACCESS_KEY_ID.
	// +optional
	SecretRef *Secret `json:"secretRef,omitempty"`
}

// AWSMode selects whether awsmigrate uses AWS.
// +kubebuilder:validation:Enum="";Auto;Enabled;Disabled
type AWSMode string

const (
	// AWSAuto uses AWS if credentials are found. An absent mode means the same.
	AWSAuto AWSMode = "Auto"
	// AWSEnabled uses AWS, and fails without credentials.
	AWSEnabled AWSMode = "Enabled"
	// AWSDisabled does not use AWS.
	AWSDisabled AWSMode = "Disabled"
)

// Secret names a Secret in the namespace of the ClusterMigration. It is read only if its
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
