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

// InstallMethod selects how the CCM chart gets into the cluster.
type InstallMethod string

const (
	// InstallHelm installs the chart as awsmigrate's own Helm release.
	InstallHelm InstallMethod = "helm"
	// InstallManifest adds one HelmChart document to RKE2's additionalManifest.
	InstallManifest InstallMethod = "additional-manifest"
)

// Options holds the user's choices for a migration, tagged for pkg/options, and the settings
// of the process that runs it.
type Options struct {
	InstallMethod       InstallMethod `flag:"install-method"`
	KubernetesVersion   string        `flag:"kubernetes-version"` // target of the upgrade step; empty if none
	Snapshot            bool          `flag:"etcd-snapshot"`
	KeepLeaderMigration bool          `flag:"keep-leader-migration"`
	// DisableAsked reports whether the user wants disable-leader-migration although an owner
	// such as Terraform could restore the old configuration.
	DisableAsked bool `flag:"keep-leader-migration=false"`
	// EarlyHandOver reports whether the hand-over to the CCM happens before the switch;
	// otherwise the switch itself causes it.
	EarlyHandOver bool              `flag:"hand-over=early"`
	CloudRoutes   string            `flag:"cloud-routes"` // "on", "off" or "" for the safe default (off, refused if routes are in use)
	CloudConfig   string            `flag:"cloud-config"` // text of the CCM's cloud config; empty to copy the in-tree one
	CCMImage      string            `flag:"ccm-image"`
	ChartPath     string            `flag:"chart"`  // empty for the embedded chart
	Values        map[string]any    `flag:"values"` // merged over the computed values
	Skip          map[string]string `flag:"skip"`
	OnlyChecks    []string          `flag:"only"`
	FailOnWarning bool              `flag:"fail-on=warning"`
	AWS           string            `flag:"aws"`
	Region        string            `flag:"region"`
	Profile       string            `flag:"profile"`
	AssumeRole    string            `flag:"assume-role"` // ARN; ExternalID and SessionName go with it
	ExternalID    string            `flag:"external-id"`
	SessionName   string            `flag:"role-session-name"`
	// OwnersInformed names the owners that, according to the user, know the edits of a run;
	// each in the form of Owner.Word.
	OwnersInformed []string `flag:"owner-informed"`
	// HandOver reports whether every edit of the configuration is handed off to its owner. A
	// run waits for the owner's commit and watches the rollout.
	HandOver bool `flag:"edits=handoff"`

	AWSIdentity aws.Identity
	RunID       string
	// OnAudit receives the report each time that a step of a run makes all checks, or is nil.
	OnAudit func(verify.Report)
	// ReadOnly reports whether requests that need write access are left out: the later
	// installation is neither rendered nor tried with dryRun=All.
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
		return UsageError("flags --edits, --kubernetes-version", "handoff with an upgrade, which is an edit too and has no way back", "an upgrade by the configuration's owner, after the migration")
	}
	for _, id := range slices.Sorted(maps.Keys(o.Skip)) {
		if strings.TrimSpace(o.Skip[id]) == "" {
			return UsageError("flag --skip", id+" without a reason", "--skip "+id+"=why")
		}
	}
	return nil
}

// UsageError returns a fault of class Usage.
func UsageError(object, seen, wanted string) error {
	return &fault.Error{Class: fault.Usage, Reason: "Usage", Object: object, Seen: seen, Wanted: wanted}
}

// Checks returns the selection of checks for a run. The checks of --only are added to those
// that must not be skipped, and never replace them.
func (o Options) Checks(at position.Position) verify.Options {
	return verify.Options{Position: at, Skip: o.Skip, Only: o.OnlyChecks, KeepGuards: true}
}
