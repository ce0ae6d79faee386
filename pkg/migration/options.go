package migration

import (
	"fmt"
	"slices"
	"sort"
	"strings"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
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

// Options are a user's choices that every migration has.
type Options struct {
	InstallMethod       InstallMethod
	KubernetesVersion   string // target of the upgrade step; empty: no upgrade
	Snapshot            bool
	KeepLeaderMigration bool
	// DisableAsked says that the user wants disable-leader-migration even though
	// an owner such as Terraform could put the old configuration back.
	DisableAsked bool
	// EarlyHandOver lets the CCM take the cloud controllers over before the switch; else the
	// switch itself does.
	EarlyHandOver bool
	// ClearFence lets it take them as soon as a kubelet has shown that the one before has
	// ended; else when the fence expires. It goes with EarlyHandOver.
	ClearFence      bool
	CloudRoutes     string // "on", "off" or "" for the safe default (off, refused where routes are in use)
	CloudConfig     string // text of the CCM's cloud config; empty: the in-tree one is carried over
	CCMImage        string
	ChartPath       string         // empty: the embedded chart
	Values          map[string]any // merged over ours
	Skip            map[string]string
	OnlyChecks      []string
	FailOnWarning   bool
	AWS             string // "auto", "on", "off"
	AWSIdentity     aws.Identity
	Region, Profile string
	AssumeRole      string // ARN; ExternalID and SessionName go with it
	ExternalID      string
	SessionName     string
	RunID           string
	// OwnersInformed are the tools that keep the configuration elsewhere and that
	// the user says know of what a run writes; words as Owner.Word has them.
	OwnersInformed []string
	// HandOver leaves every edit of the configuration to whoever keeps it: a run waits
	// for the commit and watches what it rolls.
	HandOver bool
	// OnAudit is given what checks came to, each time that a step of a run makes all of
	// them; nil: nobody is.
	OnAudit func(verify.Report)
	// ReadOnly leaves out what needs rights to write: the installation to come is
	// neither rendered nor tried with dryRun=All.
	ReadOnly bool
	// Unattended says that nobody looks at what a run finds before it goes on. Set by
	// whoever opens a session.
	Unattended bool
}

// Validate refuses values that no reading could make sense of.
func (o Options) Validate() error {
	for _, err := range []error{
		OneOf("--install-method", string(o.InstallMethod), string(InstallHelm), string(InstallManifest)),
		OneOf("--cloud-routes", o.CloudRoutes, "", "on", "off"),
		OneOf("--aws", o.AWS, "auto", "on", "off"),
	} {
		if err != nil {
			return err
		}
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
	ids := make([]string, 0, len(o.Skip))
	for id := range o.Skip {
		ids = append(ids, id)
	}
	sort.Strings(ids)
	for _, id := range ids {
		if strings.TrimSpace(o.Skip[id]) == "" {
			return UsageError("flag --skip", id+" without a reason", "--skip "+id+"=why")
		}
	}
	return nil
}

// OneOf refuses a flag's value that is none of those allowed.
func OneOf(flag, value string, allowed ...string) error {
	if slices.Contains(allowed, value) {
		return nil
	}
	return UsageError("flag "+flag, fmt.Sprintf("%q", value), "one of "+strings.TrimPrefix(strings.Join(allowed, ", "), ", "))
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
