package checklist

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/awsmigrate/awsmigrate/internal/session"
	"github.com/awsmigrate/awsmigrate/pkg/verify"
	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

// asked holds a check of one kind of cluster, before the question had one ID.
type asked struct {
	kind, was, id string
	guards        string // M: mandatory, N: decides names, U: unsupported where it fails, L: of a live cluster only
	at, fix       string
}

func askedBefore() []asked {
	const upgrade, members, zones = "upgrade to 1.22–1.26 first", "use 3 or 5 members", "place etcd members in three zones"
	return []asked{
		{"RKE2", "AWSM-110", "AWSM-110", "", "P0 P1 P2 P3", members},
		{"RKE", "AWSM-705", "AWSM-110", "", "P0 P1 P2 P3", members},
		{"API alone", "AWSM-142", "AWSM-110", "", "P0 P1 P2 P3", members},
		{"RKE2", "AWSM-112", "AWSM-112", "", "P0 P1 P2 P3", zones},
		{"RKE", "AWSM-706", "AWSM-112", "", "P0 P1 P2 P3", zones}, // was: place members in three zones
		{"API alone", "AWSM-143", "AWSM-112", "", "P0 P1 P2 P3", zones},
		{"RKE2", "AWSM-101", "AWSM-101", "MU", "P0 P1 P2 P3", upgrade},
		{"RKE", "AWSM-701", "AWSM-101", "MU", "P0 P1 P2 P3", upgrade},
		{"API alone", "AWSM-141", "AWSM-101", "M", "P0 P1 P2 P3", upgrade},
		{"RKE2", "AWSM-117", "AWSM-117", "ML", "P0 P1 P2", "remove what is named, before the flag is on any kube-controller-manager"},
		{"RKE", "AWSM-781", "AWSM-117", "ML", "P0 P1 P2", "remove what is named, before the flag is on any kube-controller-manager"}, // was: see the finding
		{"RKE2", "AWSM-118", "AWSM-118", "L", "P0 P1 P2", "correct --values, or set there what the CCM needs"},
		{"RKE", "AWSM-782", "AWSM-118", "L", "P0 P1 P2", "correct --values, or set there what the CCM needs"},
		{"RKE2", "AWSM-105", "AWSM-105", "M", "", "wait until Rancher shows the cluster as Active"},
		{"RKE", "AWSM-709", "AWSM-105", "M", "", "wait until every node is Ready, or fix the named nodes"},
		{"RKE2", "AWSM-108", "AWSM-108", "", "P0 P1 P2 P3", "set upgradeStrategy.controlPlaneConcurrency to 1"},
		{"RKE", "AWSM-707", "AWSM-108", "", "", "set upgrade_strategy.max_unavailable_controlplane to 1"},
		{"RKE2", "AWSM-109", "AWSM-109", "", "P0 P1 P2 P3", "switch drain options off for the migration"},
		{"RKE", "AWSM-708", "AWSM-109", "", "", "set upgrade_strategy.drain to false for the migration"},
		{"RKE2", "AWSM-113", "AWSM-113", "MN", "P0 P1 P2 P3", "leave out --end-state"},
		{"RKE", "AWSM-761", "AWSM-113", "MN", "P0 P1 P2 P3", "upgrade within the in-tree versions, or set hostname_override"},
		{"RKE2", "AWSM-114", "AWSM-114", "M", "P0 P1 P2 P3", "take the argument out of machineGlobalConfig or machineSelectorConfig"},
		{"RKE", "AWSM-753", "AWSM-114", "M", "P0 P1 P2 P3", "remove the argument"},
		{"RKE2", "AWSM-116", "AWSM-116", "M", "P0 P1 P2 P3", "give the machines named an entry of machineSelectorConfig of their own, with their present arguments"},
		{"RKE", "AWSM-729", "AWSM-116", "ML", "P0 P1 P2 P3", "see the finding"},
		{"RKE2", "AWSM-103", "AWSM-103", "MU", "P0 P1 P2 P3", "give every machine the in-tree provider, or take out those that have another"},
		{"RKE", "AWSM-703", "AWSM-103", "MU", "P0 P1 P2 P3", "use a cluster whose cloud_provider is aws"},
	}
}

// A shared question has one ID, title and category. Severity, positions and remedy depend on the
// kind of cluster.
func TestVariants_sharedQuestion_keepsEachDistributionsRules(t *testing.T) {
	known := map[string]bool{}
	for _, meta := range All() {
		known[meta.ID] = true
	}
	for _, want := range askedBefore() {
		got := want
		i := slices.IndexFunc(Variants(want.id), func(v Variant) bool { return slices.Contains(v.Kinds, want.kind) })
		if i < 0 {
			t.Errorf("%s is not made of %s", want.id, want.kind)
			continue
		}
		meta := metaOf(t, want.kind, want.id)
		got.guards, got.at, got.fix = guardsOf(meta), strings.Trim(fmt.Sprint(meta.Applies), "[]"), meta.Fix
		if diff := cmp.Diff(want, got, cmp.AllowUnexported(asked{})); diff != "" {
			t.Errorf("%s of %s, once %s:\n%s", want.id, want.kind, want.was, diff)
		}
		if want.was != want.id && known[want.was] {
			t.Errorf("%s was retired, and is used again", want.was)
		}
	}
}

func guardsOf(meta verify.Meta) string {
	guards := ""
	for _, guard := range []struct {
		is   bool
		mark string
	}{{meta.Mandatory, "M"}, {meta.DecidesNames, "N"}, {meta.Unsupported, "U"}, {meta.LiveOnly, "L"}} {
		if guard.is {
			guards += guard.mark
		}
	}
	return guards
}

// metaOf returns a check of one kind of cluster, which has each ID once.
func metaOf(t *testing.T, kind, id string) verify.Meta {
	t.Helper()
	var found []verify.Meta
	for _, d := range distributions() {
		for _, meta := range session.SideOf(d).All {
			if kindOf(d) == kind && meta.ID == id {
				found = append(found, meta)
			}
		}
	}
	if len(found) != 1 {
		t.Fatalf("%s has %d checks %s", kind, len(found), id)
	}
	return found[0]
}

// A shared ID has one title and category, and can be skipped for all kinds or for none: --skip is
// judged before the kind of cluster is known.
func TestVariants_oneID_oneIdentity(t *testing.T) {
	for _, first := range All() {
		for _, d := range distributions() {
			for _, meta := range session.SideOf(d).All {
				if meta.ID == first.ID && (meta.Title != first.Title || meta.Category != first.Category || meta.Mandatory != first.Mandatory || meta.DecidesNames != first.DecidesNames) {
					t.Errorf("%s of %s: %q, %q, guards %s; first %q, %q, %s", meta.ID, kindOf(d), meta.Title, meta.Category, guardsOf(meta), first.Title, first.Category, guardsOf(first))
				}
			}
		}
	}
}

// Advice for one distribution names no field of the other.
func TestVariants_advice_namesOwnFields(t *testing.T) {
	foreign := map[wellknown.Distribution][]string{
		wellknown.RKE2: {"upgrade_strategy", "cluster.yml", "hostname_override", "cloud_provider", "extra_args", "kubernetes_version", "rke up"},
		wellknown.RKE:  {"upgradeStrategy", "controlPlaneConcurrency", "machineGlobalConfig", "machineSelectorConfig", "--end-state", "unhealthyNodeTimeout", "cloud-provider-config"},
	}
	for kind, fields := range foreign {
		for _, meta := range session.SideOf(kind).All {
			for _, field := range fields {
				if strings.Contains(meta.Fix, field) {
					t.Errorf("%s of %s names %s: %s", meta.ID, kind, field, meta.Fix)
				}
			}
		}
	}
}
