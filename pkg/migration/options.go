package migration

import (
	"maps"
	"slices"
	"strings"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/options"
	"github.com/awsmigrate/awsmigrate/pkg/verify"
	"github.com/awsmigrate/awsmigrate/pkg/verify/aws"
	"github.com/awsmigrate/awsmigrate/pkg/verify/position"
)

// InstallMethod is how the CCM chart gets into the cluster.
type InstallMethod string

const (
	// InstallHelm installs the chart as awsmigrate's own Helm release.
	InstallHelm InstallMethod = "helm"
	// InstallManifest adds one HelmChart document to RKE2's additionalManifest.
	InstallManifest InstallMethod = "additional-manifest"
)

// Options holds what the user chose for a migration, by the tags of pkg/options, and what
// the process that runs it sets.
type Options struct {
	InstallMethod       InstallMethod `flag:"install-method"`
	KubernetesVersion   string        `flag:"kubernetes-version"` // target of the upgrade step; empty: no upgrade
	Snapshot            bool          `flag:"etcd-snapshot"`
	KeepLeaderMigration bool          `flag:"keep-leader-migration"`
	// DisableAsked reports whether the user wants disable-leader-migration even though
	// an owner such as Terraform could put the old configuration back.
	DisableAsked bool `flag:"keep-leader-migration=false"`
	// EarlyHandOver reports whether the CCM takes the cloud controllers over before the
	// switch; else the switch itself does it.
	EarlyHandOver bool `flag:"hand-over=early|clear"`
	// ClearFence reports whether it takes them as soon as a kubelet has shown that the former
	// holder has ended; else when the fence expires. It goes with EarlyHandOver.
	ClearFence    bool              `flag:"hand-over=clear"`
	CloudRoutes   string            `flag:"cloud-routes"` // "on", "off" or "" for the safe default (off, refused where routes are in use)
	CloudConfig   string            `flag:"cloud-config"` // text of the CCM's cloud config; empty: the in-tree one is carried over
	CCMImage      string            `flag:"ccm-image"`
	ChartPath     string            `flag:"chart"`  // empty: the embedded chart
	Values        map[string]any    `flag:"values"` // merged over ours
	Skip          map[string]string `flag:"skip"`
	OnlyChecks    []string          `flag:"only"`
	FailOnWarning bool              `flag:"fail-on=warning"`
	AWS           string            `flag:"aws"`
	Region        string            `flag:"region"`
	Profile       string            `flag:"profile"`
	AssumeRole    string            `flag:"assume-role"` // ARN; ExternalID and SessionName go with it
	ExternalID    string            `flag:"external-id"`
	SessionName   string            `flag:"role-session-name"`
	// OwnersInformed are the tools that keep the configuration elsewhere and that
	// the user says know of what a run writes; words as Owner.Word has them.
	OwnersInformed []string `flag:"owner-informed"`
	// HandOver reports whether every edit of the configuration is left to its owner: a run
	// waits for the commit and watches the rollout.
	HandOver bool `flag:"edits=handoff"`

	AWSIdentity aws.Identity
	RunID       string
	// OnAudit is given the report each time that a step of a run makes all checks, or is nil.
	OnAudit func(verify.Report)
	// ReadOnly leaves out what needs rights to write: the installation to come is
	// neither rendered nor tried with dryRun=All.
	ReadOnly bool
	// Unattended reports whether the run continues without a person who reads its findings.
	// Opening a session sets it.
	Unattended bool
}

// Validate returns an error if a value is invalid in every cluster.
func (o Options) Validate() error {
	if err := options.Validate(&o); err != nil {
		return err
	}
	if err := o.checkInformed(); err != nil {
		return err
	}
	if o.HandOver && o.InstallMethod == InstallManifest {
		return UsageError("flags --edits, --install-method", "handoff with additional-manifest, which is an edit too", "--install-method helm")
	}
	if o.HandOver && o.KubernetesVersion != "" {
		return UsageError("flags --edits, --kubernetes-version", "handoff with an upgrade, which is an edit too and has no way back", "an upgrade by whoever keeps the configuration, after the migration")
	}
	for _, id := range slices.Sorted(maps.Keys(o.Skip)) {
		if strings.TrimSpace(o.Skip[id]) == "" {
			return UsageError("flag --skip", id+" without a reason", "--skip "+id+"=why")
		}
	}
	return nil
}

// UsageError is a fault of class Usage.
func UsageError(object, seen, wanted string) error {
	return &fault.Error{Class: fault.Usage, Reason: "Usage", Object: object, Seen: seen, Wanted: wanted}
}

// Checks are those that a run makes. What --only names is looked at
// besides those that may not be skipped, never instead of them.
func (o Options) Checks(at position.Position) verify.Options {
	return verify.Options{Position: at, Skip: o.Skip, Only: o.OnlyChecks, KeepGuards: true}
}
