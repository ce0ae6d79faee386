package rke2checks

import (
	"fmt"
	"slices"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/rke2/config"
	"github.com/awsmigrate/awsmigrate/pkg/rke2/rancher"
	"github.com/awsmigrate/awsmigrate/pkg/verify"
	"github.com/awsmigrate/awsmigrate/pkg/verify/component"
	"github.com/awsmigrate/awsmigrate/pkg/verify/downstream"
	"github.com/awsmigrate/awsmigrate/pkg/verify/position"
)

// targetFlag names the flag for the version that a run upgrades to, in findings.
const targetFlag = "flag --kubernetes-version"

// setup holds what decides whether a cluster works on a release: its configuration after a
// switch to an end state, and its Nodes. If switchTo is empty, the configuration is the
// current one.
type setup struct {
	rancher.Facts
	switchTo EndState
	nodes    []downstream.Node
}

func (p Prepared) setup() setup { return setup{p.Facts, p.switchTo, p.Down.Nodes} }

// atEnd returns a judgement of one release for the cluster as the pending edits leave it.
func atEnd(judge func(setup, string) []verify.Finding) func(Prepared, string) []verify.Finding {
	return func(p Prepared, release string) []verify.Finding { return judge(p.end, release) }
}

// ReleaseClass returns a key that is equal for releases on which every check of one minor
// version has the same findings.
func ReleaseClass(release string) string {
	return fmt.Sprint(config.Behaviors(release), component.FixedUID(release), supportOf(release))
}

// RefuseTarget returns an error if the target release does not work with the cluster's
// configuration and Nodes. switchTo is the end state of a switch that the run will still make,
// or empty.
func RefuseTarget(f rancher.Facts, switchTo EndState, nodes []downstream.Node, target string) error {
	s := setup{f, switchTo, nodes}
	for _, err := range []error{
		firstFailure("APIServerWouldNotStart", s.refusedAPIServers(target)),
		firstFailure("ProfileRefused", s.refusedProfiles(target)),
		firstFailure("ArgumentRemoved", s.refusedArguments(target)),
		firstFailure("OwnCloudController", s.ownControllers(target)),
		firstFailure(migration.ReasonNamesNotProven, s.renamed(target)),
	} {
		if err != nil {
			return err
		}
	}
	return nil
}

// firstFailure returns the first finding that fails a target as an error, or nil.
func firstFailure(reason string, found []verify.Finding) error {
	i := slices.IndexFunc(found, func(f verify.Finding) bool { return f.Status == verify.Fail })
	if i < 0 {
		return nil
	}
	return &fault.Error{Class: fault.Check, Reason: reason, Object: targetFlag + ", " + found[i].Object,
		Seen: found[i].Seen, Wanted: found[i].Wanted, Fix: found[i].Fix}
}

// judgeReleases judges the target of an upgrade and the current release. A failure of the
// current release is a warning if the upgrade ends it. Without a finding it returns what is
// ahead, once the cluster has a CCM.
func (p Prepared) judgeReleases(judge func(version string) []verify.Finding, ahead func() []verify.Finding) []verify.Finding {
	now, target := p.Cluster.Spec.KubernetesVersion, p.Options.KubernetesVersion
	upgrades := target != now && migration.UpgradeAllowed(now, target, "+rke2") == nil // else the flag itself is wrong
	var found []verify.Finding
	if upgrades {
		found = located(targetFlag, judge(target))
	}
	ends := upgrades && len(found) == 0
	for _, f := range located(p.ObjectName(), judge(now)) {
		if ends && f.Status == verify.Fail {
			f.Status = verify.Warn
		}
		found = append(found, f)
	}
	if len(found) == 0 && p.Stands.AtLeast(position.P3) {
		return located(p.ObjectName(), ahead())
	}
	return found
}

// located returns the findings with the source of the version in their objects.
func located(source string, found []verify.Finding) []verify.Finding {
	for i := range found {
		found[i].Object = source + ", " + found[i].Object
	}
	return found
}

// setting is the value of a key at one location, and the machines that have it.
type setting struct {
	config.Setting
	machines []string
}

func (s setting) object() string {
	at := s.Location
	if at == "" {
		at = "machineGlobalConfig"
	}
	return at + " (" + migration.NameList(s.machines) + ")"
}

// settingsOf returns the values of a key on some machines, one per location and value.
func (s setup) settingsOf(key string, runs func(config.Machine) bool) []setting {
	var found []setting
	for _, m := range s.Machines {
		if !runs(m.Machine) {
			continue
		}
		c := config.Effective(s.Cluster.Spec, m.Machine)
		one := config.Setting{Value: c.Text(key)}
		if at, is := c[key]; is {
			one.Location = at.Location.String()
		}
		i := slices.IndexFunc(found, func(f setting) bool { return f.Setting == one })
		if i < 0 {
			i, found = len(found), append(found, setting{Setting: one})
		}
		found[i].machines = append(found[i].machines, m.Name)
	}
	return found
}
