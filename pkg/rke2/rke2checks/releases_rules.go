package rke2checks

import (
	"fmt"

	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/rke2/config"
	"github.com/awsmigrate/awsmigrate/pkg/rke2/config/notation"
	"github.com/awsmigrate/awsmigrate/pkg/verify"
	"github.com/awsmigrate/awsmigrate/pkg/verify/component"
)

// judgeProfile judges the profile of every machine. RKE2 on Windows does not read it.
func judgeProfile(p Prepared) []verify.Finding {
	s := p.setup()
	return p.judgeReleases(s.refusedProfiles, func() (found []verify.Finding) {
		for _, one := range s.profiles() {
			if from := config.ProfileEnds(one.Value, p.Cluster.Spec.KubernetesVersion); from != "" {
				found = append(found, verify.Warning(one.object(), config.KeyProfile+": "+one.Value+": RKE2 "+from+" and later exit at it",
					"a profile that later releases know", s.profileFix(from)))
			}
		}
		return found
	})
}

func (s setup) profiles() []setting {
	return s.settingsOf(config.KeyProfile, func(m config.Machine) bool { return !m.Windows() })
}

// refusedProfiles returns the profiles at which a release exits.
func (s setup) refusedProfiles(version string) []verify.Finding {
	var found []verify.Finding
	for _, one := range s.profiles() {
		if refused, next := config.ProfileRefused(one.Value, version); refused {
			fix := s.profileFix(version)
			if next != "" {
				fix = "choose " + next + " or later of that minor"
			}
			found = append(found, verify.Failure(one.object(), fmt.Sprintf("RKE2 %s exits at %s: %s", version, config.KeyProfile, one.Value), "a profile that it knows", fix))
		}
	}
	return found
}

// profileFix names a profile that a release knows. If the current release exits at it, only
// one edit can change both.
func (s setup) profileFix(version string) string {
	now := s.Cluster.Spec.KubernetesVersion
	for _, profile := range []string{"cis", "cis-1.23"} {
		if refused, _ := config.ProfileRefused(profile, version); refused {
			continue
		}
		set := "set " + config.KeyProfile + ": " + profile
		switch early, _ := config.ProfileRefused(profile, now); {
		case early:
			return set + " and the version in one edit of the Cluster"
		case version == now:
			return set
		}
		return set + " before the upgrade"
	}
	return ""
}

// judgeOwnController judges whether every server disables RKE2's own cloud controller.
func judgeOwnController(p Prepared) []verify.Finding {
	s := p.setup()
	return p.judgeReleases(s.ownControllers, func() []verify.Finding {
		return s.enabledControllers(verify.Warn, "RKE2 1.36 and later start their own cloud controller")
	})
}

// ownControllers returns the servers that start RKE2's own cloud controller on a release.
func (s setup) ownControllers(version string) []verify.Finding {
	if !config.StartsOwnController(version) {
		return nil
	}
	return s.enabledControllers(verify.Fail, "RKE2 "+version+" starts its own cloud controller")
}

func (s setup) enabledControllers(status verify.Status, effect string) []verify.Finding {
	var found []verify.Finding
	for _, one := range s.settingsOf(config.KeyDisableCCM, config.Machine.Server) {
		if !notation.IsTrue(one.Value) {
			found = append(found, verify.Finding{Status: status, Object: one.object(), Seen: config.KeyDisableCCM + " is not true: " + effect + " next to the CCM",
				Wanted: "true on every server", Fix: "set " + config.KeyDisableCCM + ": true there"})
		}
	}
	return found
}

// judgeRefused judges the arguments of every component. Without a target it judges the next
// minor version, once the cluster has a CCM. A release that every machine runs is not judged: its
// components run with these arguments, whatever a table says.
func judgeRefused(p Prepared) []verify.Finding {
	s := p.setup()
	judge := func(version string) []verify.Finding {
		if version == p.Cluster.Spec.KubernetesVersion && p.AtVersion(version) {
			return nil
		}
		return s.refusedArguments(version)
	}
	return p.judgeReleases(judge, func() []verify.Finding {
		v, err := component.ParseVersion(p.Cluster.Spec.KubernetesVersion)
		if err != nil {
			return nil // AWSM-101 reports it
		}
		found := s.argumentsRefusedBy(v.NextMinor())
		for i := range found {
			found[i].Status, found[i].Fix = verify.Warn, found[i].Fix+" before that upgrade"
		}
		return found
	})
}

// refusedArguments returns the flags, values and feature gates at which a component of a release exits.
func (s setup) refusedArguments(release string) []verify.Finding {
	v, err := component.ParseVersion(release)
	if err != nil {
		return nil // the target itself is refused before
	}
	return s.argumentsRefusedBy(v)
}

func (s setup) argumentsRefusedBy(v component.Version) []verify.Finding {
	var found []verify.Finding
	for _, f := range config.RefusedArgs(s.Cluster.Spec, s.Configs(), v) {
		found = append(found, verify.Failure(f.Location+" ("+migration.NameList(f.Machines)+")", f.Seen+": "+f.Why, "arguments that it knows", "remove "+f.Seen))
	}
	return found
}
