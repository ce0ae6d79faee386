package session

import (
	"slices"

	"github.com/awsmigrate/awsmigrate/pkg/awsccm"
	"github.com/awsmigrate/awsmigrate/pkg/rke"
	"github.com/awsmigrate/awsmigrate/pkg/rke/rkechecks"
	"github.com/awsmigrate/awsmigrate/pkg/rke2/rke2checks"
	"github.com/awsmigrate/awsmigrate/pkg/upgradepath"
	"github.com/awsmigrate/awsmigrate/pkg/verify"
	"github.com/awsmigrate/awsmigrate/pkg/verify/checks"
	"github.com/awsmigrate/awsmigrate/pkg/verify/position"
	"github.com/awsmigrate/awsmigrate/pkg/verify/rules"
	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

// PathStart returns the start of an upgrade path from a reading of a cluster in Rancher.
func PathStart(seen Reading) upgradepath.Cluster {
	c := pathOf(seen.Input.Distribution)
	c.Name, c.Version, c.Migrate, c.Checks = seen.Target.Name, seen.Input.Version.Value, seen.NextBare, seen.Bound()
	c.Upgrade = seen.Upgrade
	at := seen.Input.Position.Position
	c.InTree = slices.Contains(position.BeforeSwitch(), at)
	if at == position.Unknown { // whether the migration comes first is then unknown
		c.Expected = append(c.Expected, rules.VersionWindow().ID)
	}
	return c
}

// PathStartOfFile returns the start of an upgrade path from cluster.yml alone.
func PathStartOfFile(file string) (upgradepath.Cluster, error) {
	read, err := rke.ReadOffline(file)
	if err != nil {
		return upgradepath.Cluster{}, err
	}
	c := pathOf(wellknown.RKE)
	c.Name, c.Version, c.InTree, c.Checks = read.Name, read.Version, read.InTree, read.Checks
	return c, nil
}

// pathOf returns what every path of a distribution needs.
func pathOf(d wellknown.Distribution) upgradepath.Cluster {
	c := upgradepath.Cluster{Distribution: d, Expected: verify.ReleaseIDs(checks.For(d)...), Image: imageOf}
	if d == wellknown.RKE {
		c.Manager, c.Expected = upgradepath.ProgramsOfRKE, append(c.Expected, verify.ReleaseIDs(rkechecks.All()...)...)
		return c
	}
	c.Manager, c.Class, c.Expected = rke2checks.RancherFor, rke2checks.ReleaseClass, append(c.Expected, verify.ReleaseIDs(rke2checks.All()...)...)
	return c
}

// imageOf returns the CCM's image tag for a release and its note, or "" if the table has none.
func imageOf(release string) (tag, note string) {
	tag, err := awsccm.ImageFor(release)
	if err != nil {
		return "", ""
	}
	return tag, awsccm.NoteOn(awsccm.Image{Tag: tag})
}
