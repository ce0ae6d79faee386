package position

import (
	"fmt"

	"github.com/awsmigrate/awsmigrate/pkg/verify/component"
)

// census groups the KCMs by mode.
type census struct {
	total                                       int
	unknown                                     []string // with the reason
	plain, flagged, external, starving, foreign []string
}

func (c census) all(group []string) bool { return c.total > 0 && len(group) == c.total }

func countModes(kcms []KCM) census {
	c := census{total: len(kcms)}
	for _, k := range kcms {
		switch k.Mode {
		case component.ModeUnknown:
			c.unknown = append(c.unknown, fmt.Sprintf("arguments of the KCM on %s: %s", k.Machine, orElse(k.Why, "not seen")))
		case component.InTreeMigrating:
			c.flagged = append(c.flagged, k.Machine)
		case component.InTree:
			c.plain = append(c.plain, k.Machine)
		case component.ExternalMigrating:
			c.starving = append(c.starving, k.Machine)
		case component.External:
			c.external = append(c.external, k.Machine)
		case component.ModeOther:
			c.foreign = append(c.foreign, fmt.Sprintf("%s (--cloud-provider=%q)", k.Machine, k.Provider))
		}
	}
	return c
}

// gaps returns the missing evidence without which the position would be a guess.
func gaps(e Evidence, c census) []string {
	var gaps []string
	if c.total == 0 {
		gaps = append(gaps, "no control-plane machine is known")
	}
	gaps = append(gaps, c.unknown...)
	if e.CCM.Seen == Unseen {
		gaps = append(gaps, "aws-cloud-controller-manager: "+orElse(e.CCM.Why, "could not look"))
	}
	switch {
	case c.all(c.external):
		if e.Lease == OwnerUnseen {
			gaps = append(gaps, "migration lease: could not look")
		}
		if e.OwnGrant == Unseen && !e.CCM.Migration && e.CCM.PodsWith == 0 {
			gaps = append(gaps, "our Role and RoleBinding: could not look")
		}
	case len(c.plain)+len(c.flagged) > 0 && len(c.external) == 0:
		if e.Grant == Unseen {
			gaps = append(gaps, "right of the KCM on the migration lease: could not look")
		}
	}
	return gaps
}

// hazards returns the states that no run of awsmigrate leaves behind. Each text says whose
// controllers run twice or not at all. Rules: leader migration of kube-controller-manager
// 1.22 to 1.26 and k8s.io/cloud-provider.
func hazards(e Evidence, c census) []string {
	var h []string
	add := func(format string, args ...any) { h = append(h, fmt.Sprintf(format, args...)) }
	ccm := e.CCM.Seen == Yes
	inTree := append(append([]string{}, c.plain...), c.flagged...)
	if len(c.foreign) > 0 {
		add("KCM with neither aws nor external: %s", list(c.foreign))
	}
	if len(c.starving) > 0 {
		add("external KCM with enable-leader-migration on %s: it can hold the migration lease and run none of its controllers", list(c.starving))
	}
	if ccm && len(c.plain) > 0 {
		add("in-tree KCM without the flag on %s next to a CCM: service, route and node lifecycle controllers can run twice", list(c.plain))
	}
	if ccm && len(inTree) > 0 && (!e.CCM.Migration || e.CCM.PodsWithout > 0) {
		add("CCM without the flag next to an in-tree KCM on %s: service, route and node lifecycle controllers run twice", list(inTree))
	}
	if ccm && len(inTree) > 0 && e.CCM.DefaultUnsafe && !e.CCM.ConfigFile {
		add("CCM image %s without --leader-migration-config next to an in-tree KCM on %s: its service and route controllers do not wait for the migration lease", e.CCM.Image, list(inTree))
	}
	if ungranted(e, c) {
		add("KCM with enable-leader-migration on %s may not use the migration lease: there it runs no service, route and node lifecycle controllers", list(c.flagged))
	}
	if len(c.external) > 0 && len(c.plain) > 0 && !ccm {
		add("external KCM on %s next to in-tree KCM without the flag on %s", list(c.external), list(c.plain))
	}
	if e.CCM.Seen == No && len(c.external) > 0 {
		add("external KCM on %s and no CCM: no process runs the cloud controllers when it leads", list(c.external))
	}
	return h
}

// ungranted reports whether KCMs with the flag lack rights on the migration lease.
func ungranted(e Evidence, c census) bool {
	return len(c.flagged) > 0 && (e.Grant == No || e.Grant == Partial)
}

func orElse(s, fallback string) string {
	if s == "" {
		return fallback
	}
	return s
}
