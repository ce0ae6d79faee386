package rke2

import (
	"fmt"
	"sort"
	"strings"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
)

// EndState is how a cluster runs after the switch.
type EndState string

const (
	// EndAuto chooses overrides, unless every node was registered with an
	// explicit node-name: only then external keeps names by construction.
	EndAuto EndState = "auto"
	// EndExternal is cloud-provider-name: external.
	EndExternal EndState = "external"
	// EndOverrides keeps cloud-provider-name: aws, which is also the mechanism
	// that names nodes, and overrides the provider per component.
	EndOverrides EndState = "overrides"
)

// InstallMethod is how the CCM chart gets into the cluster.
type InstallMethod string

const (
	// InstallHelm installs the chart as awsmigrate's own Helm release.
	InstallHelm InstallMethod = "helm"
	// InstallManifest adds one HelmChart document to additionalManifest.
	InstallManifest InstallMethod = "additional-manifest"
)

// Options are a user's choices for one migration.
type Options struct {
	Namespace, Name     string
	EndState            EndState
	InstallMethod       InstallMethod
	KubernetesVersion   string // target of the upgrade step; empty: no upgrade
	Snapshot            bool
	KeepLeaderMigration bool
	// DisableAsked says that the user wants disable-leader-migration even though
	// an owner such as Terraform could put the old configuration back.
	DisableAsked    bool
	CloudRoutes     string // "on", "off" or "" for the safe default (off, refused where routes are in use)
	CloudConfig     string // text of the CCM's cloud config; empty: the in-tree one is carried over
	CCMImage        string
	ChartPath       string         // empty: the embedded chart
	Values          map[string]any // merged over ours
	Skip            map[string]string
	OnlyChecks      []string
	FailOnWarning   bool
	AWS             string // "auto", "on", "off"
	Region, Profile string
	AssumeRole      string
	RunID           string
}

// Validate refuses values that no reading could make sense of.
func (o Options) Validate() error {
	for _, c := range []struct {
		flag, value string
		allowed     []string
	}{
		{"--end-state", string(o.EndState), []string{string(EndAuto), string(EndExternal), string(EndOverrides)}},
		{"--install-method", string(o.InstallMethod), []string{string(InstallHelm), string(InstallManifest)}},
		{"--cloud-routes", o.CloudRoutes, []string{"", "on", "off"}},
		{"--aws", o.AWS, []string{"auto", "on", "off"}},
	} {
		if !contains(c.allowed, c.value) {
			return usageError("flag "+c.flag, fmt.Sprintf("%q", c.value), "one of "+strings.TrimPrefix(strings.Join(c.allowed, ", "), ", "))
		}
	}
	if o.Name == "" {
		return usageError("flag --cluster", "no name given", "the name of a Cluster object of Rancher")
	}
	return o.validateSkips()
}

func (o Options) validateSkips() error {
	ids := make([]string, 0, len(o.Skip))
	for id := range o.Skip {
		ids = append(ids, id)
	}
	sort.Strings(ids)
	for _, id := range ids {
		if strings.TrimSpace(o.Skip[id]) == "" {
			return usageError("flag --skip", id+" without a reason", "--skip "+id+"=why")
		}
	}
	return nil
}

func contains(list []string, value string) bool {
	for _, one := range list {
		if one == value {
			return true
		}
	}
	return false
}

func usageError(object, seen, wanted string) error {
	return &fault.Error{Class: fault.Usage, Reason: "Usage", Object: object, Seen: seen, Wanted: wanted}
}
