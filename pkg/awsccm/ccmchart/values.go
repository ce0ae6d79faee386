package ccmchart

import (
	"time"

	"helm.sh/helm/v3/pkg/chart"
	corev1 "k8s.io/api/core/v1"

	"github.com/awsmigrate/awsmigrate/pkg/awsccm"
	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

// Inputs holds everything that the chart's values depend on.
type Inputs struct {
	Distribution wellknown.Distribution
	// KubernetesVersion is the oldest API server's, e.g. "v1.26.15+rke2r1". It selects the
	// image and limits a given one.
	KubernetesVersion string
	// NewestVersion is the newest API server's, or empty if all run the same minor version. It
	// limits a given image, too.
	NewestVersion string
	// Image overrides the matrix with a reference or a tag.
	Image string
	// ControlPlaneTaints holds all taints of all control-plane nodes.
	ControlPlaneTaints []corev1.Taint
	// LeaderMigration is true from the installation until no kube-controller-manager can run the
	// controllers.
	LeaderMigration bool
	// Routes lets the controller manager maintain pod routes in the VPC, within ClusterCIDR.
	// In-tree they are on by default. Here they are off by default, because without a CIDR the
	// process crashes at the hand-over.
	Routes      bool
	ClusterCIDR string
	// AllowUntagged copies kube-controller-manager's --allow-untagged-cloud, which RKE sets.
	// Without it the controller manager of an untagged cluster exits.
	AllowUntagged bool
	// CloudConfig is the in-tree provider's file, or empty.
	CloudConfig string
	// Surroundings are those of the kube-controller-managers. Differ names the variables of which
	// they have several values.
	Surroundings Surroundings
	Differ       []string
	// TrustHost gives the CCM the host's trust store, as kube-controller-manager has it.
	TrustHost bool
	// Document reports whether the values become part of a document that holds no secrets.
	Document bool
	// OnDelete leaves it to awsmigrate to replace the pods, whatever the user's values say.
	OnDelete bool
	// LeaderElection overrides the components' defaults; zero values keep them.
	LeaderElection LeaderElection
	// Chart is the chart to install, or nil for the embedded one. For a foreign chart all
	// settings become arguments and volumes, which every version of upstream's supports.
	Chart *chart.Chart
	// UserValues are merged last.
	UserValues map[string]any
}

// LeaderElection holds the flags --leader-elect-….
type LeaderElection struct {
	LeaseDuration, RenewDeadline, RetryPeriod time.Duration
}

// ChartValues holds the values for one installation and the remarks about them.
type ChartValues struct {
	Values map[string]any
	Image  awsccm.Image
	// DroppedKeys holds cloud config keys that the image does not know.
	DroppedKeys []string
	// Carried lists what the CCM gets of kube-controller-manager's environment, mounts and endpoints.
	Carried []string
	// Concerns holds all concerns, including the blocking ones.
	Concerns []Concern
}

// Values computes the chart's values. The error names everything in the user's values that
// would break the migration; ChartValues is complete even then.
func Values(in Inputs) (ChartValues, error) {
	img, err := EffectiveImage(in)
	if err != nil {
		return ChartValues{}, err
	}
	out := ChartValues{Image: img}
	if err := in.check(); err != nil {
		return ChartValues{}, err
	}
	var config CloudConfig
	if in.CloudConfig != "" {
		if config, err = ConvertCloudConfig(in.CloudConfig, img); err != nil {
			return ChartValues{}, err
		}
		out.DroppedKeys = config.Dropped
	}
	user := deepCopy(in.UserValues)
	out.Concerns = append(out.Concerns, judgeUserValues(in, user, config)...)

	merged := merge(in.base(img), user)
	if !in.foreign() {
		emptyIsNone(merged, user)
	}
	merged["image"] = imageValues(img, merged["image"], in.foreign())
	merged["leaderMigration"] = merge(asMap(merged["leaderMigration"]), map[string]any{"enabled": in.LeaderMigration})
	in.finishArguments(merged, img, config)
	in.carryInto(merged, &out)
	for _, service := range config.Added {
		out.Carried = append(out.Carried, "[ServiceOverride] of "+service+", its name in AWS SDK v2")
	}
	out.Values = merged
	out.Concerns = append(out.Concerns, judgeValues(in, merged, img)...)
	if in.OnDelete {
		merged["updateStrategy"] = map[string]any{"type": "OnDelete", "rollingUpdate": nil}
	}
	return out, blocking(out.Concerns)
}

// emptyIsNone removes our chart's security context if the user's values have an empty map for
// it, which is upstream's notation for none. Merged with the chart's map, it would change
// nothing.
func emptyIsNone(merged, user map[string]any) {
	for _, key := range []string{"securityContext", "podSecurityContext"} {
		if own, isMap := user[key].(map[string]any); isMap && len(own) == 0 {
			merged[key] = nil
		}
	}
}

// base returns the values without the user's.
func (in Inputs) base(img awsccm.Image) map[string]any {
	tolerations := []any{}
	for _, t := range Tolerations(in.ControlPlaneTaints) {
		tolerations = append(tolerations, map[string]any{"key": t.Key, "operator": string(t.Operator), "effect": string(t.Effect)})
	}
	values := map[string]any{
		"nodeSelector":    in.nodeSelector(),
		"tolerations":     tolerations,
		"hostNetworking":  true,
		"args":            in.arguments().list(),
		"leaderMigration": map[string]any{"enabled": in.LeaderMigration, "mountConfig": awsccm.NeedsMigrationFile(img)},
	}
	return values
}

// foreign reports whether the chart is not ours.
func (in Inputs) foreign() bool { return in.Chart != nil && !IsOurs(in.Chart) }

// nodeSelector returns a map to merge with the chart's own. A null removes only a key that the
// chart has; any other remains in the objects, as "".
func (in Inputs) nodeSelector() map[string]any {
	selector := map[string]any{}
	defaults := map[string]any{"node-role.kubernetes.io/control-plane": "true"}
	if in.Chart != nil {
		defaults = asMap(in.Chart.Values["nodeSelector"])
	}
	for key := range defaults {
		selector[key] = nil
	}
	selector[in.Distribution.ControlPlaneLabel()] = "true"
	return selector
}

func (in Inputs) arguments() arguments {
	args := arguments{"--v=2", flagCloudProvider + "=aws"}
	if in.Routes {
		args = args.with(flagCloudRoutes, "true").with(flagClusterCIDR, in.ClusterCIDR)
	} else {
		args = args.with(flagCloudRoutes, "false")
	}
	if in.AllowUntagged {
		args = args.with("--allow-untagged-cloud", "true")
	}
	for _, timing := range []struct {
		flag string
		d    time.Duration
	}{
		{"--leader-elect-lease-duration", in.LeaderElection.LeaseDuration},
		{"--leader-elect-renew-deadline", in.LeaderElection.RenewDeadline},
		{"--leader-elect-retry-period", in.LeaderElection.RetryPeriod},
	} {
		if timing.d != 0 {
			args = args.with(timing.flag, timing.d.String())
		}
	}
	return args
}
