package position

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/awsmigrate/awsmigrate/pkg/verify/component"
)

func kcms(specs ...string) []KCM {
	var ks []KCM
	for i, s := range specs {
		k := KCM{Machine: "cp-" + string(rune('a'+i))}
		if s == "?" {
			k.Why = "no mirror pod"
		} else {
			provider, _, migrating := strings.Cut(s, "+")
			k.Provider = provider
			k.Mode = component.Parse([]string{"--cloud-provider=" + provider, "--enable-leader-migration=" + strconv.FormatBool(migrating)}).Mode()
		}
		ks = append(ks, k)
	}
	return ks
}

func ccm(flag bool) CCM {
	c := CCM{Seen: Yes, Migration: flag, Complete: true, Image: "registry.k8s.io/provider-aws/cloud-controller-manager:v1.26.14"}
	if flag {
		c.PodsWith = 3
	} else {
		c.PodsWithout = 3
	}
	return c
}

var none = CCM{Seen: No}

func with(c CCM, change func(*CCM)) CCM { change(&c); return c }

func TestCompute(t *testing.T) {
	inTree, flagged := kcms("aws", "aws", "aws"), kcms("aws+flag", "aws+flag", "aws+flag")
	external := kcms("external", "external", "external")
	cases := []struct {
		name     string
		evidence Evidence
		want     Position
		between  [2]Position
		mixed    bool
		hand     bool
		problem  string
	}{
		{"untouched", Evidence{inTree, none, No, No, NoLease}, P0, [2]Position{P0, P0}, false, false, ""},
		{"grant half there", Evidence{inTree, none, Partial, Yes, NoLease}, P0, [2]Position{P0, P1}, true, false, ""},
		{"role without binding", Evidence{inTree, none, No, Yes, NoLease}, P0, [2]Position{P0, P1}, true, false, ""},
		{"granted", Evidence{inTree, none, Yes, Yes, NoLease}, P1, [2]Position{P1, P1}, false, false, ""},
		{"granted by the guide's patch", Evidence{inTree, none, Yes, No, NoLease}, P1, [2]Position{P1, P1}, false, false, ""},
		{"grant not visible", Evidence{inTree, none, Unseen, No, NoLease}, Unknown, [2]Position{P0, P0}, false, false, "right of the KCM"},
		{"one of three flagged", Evidence{kcms("aws+flag", "aws", "aws"), none, Yes, Yes, HeldByKCM}, P1, [2]Position{P1, P2}, true, false, ""},
		{"flagged", Evidence{flagged, none, Yes, Yes, HeldByKCM}, P2, [2]Position{P2, P2}, false, false, ""},
		{"flagged, lease not visible", Evidence{flagged, none, Yes, Yes, OwnerUnseen}, P2, [2]Position{P2, P2}, false, false, ""},
		{"flagged without grant", Evidence{flagged, none, No, No, NoLease}, Unknown, [2]Position{P0, P2}, true, true, "may not use the migration lease"},
		{"some flagged without grant", Evidence{kcms("aws+flag", "aws"), none, No, No, NoLease}, Unknown, [2]Position{P0, P2}, true, true, "may not use"},
		{"ccm installed, pods missing", Evidence{flagged, with(ccm(true), func(c *CCM) { c.Complete = false; c.PodsWith = 1 }), Yes, Yes, HeldByKCM}, P2, [2]Position{P2, P3}, true, false, ""},
		{"ccm next to flagged", Evidence{flagged, ccm(true), Yes, Yes, HeldByKCM}, P3, [2]Position{P3, P3}, false, false, ""},
		{"ccm next to flagged, already with the lease", Evidence{flagged, ccm(true), Yes, Yes, HeldByCCM}, P3, [2]Position{P3, P3}, false, false, ""},
		{"ccm next to flagged, no grant", Evidence{flagged, ccm(true), No, No, HeldByCCM}, Unknown, [2]Position{P0, P3}, true, true, "may not use"},
		{"ccm next to in-tree without flag, no grant", Evidence{flagged, ccm(false), No, No, HeldByCCM}, Unknown, [2]Position{P0, P5}, true, true, "run twice"},
		{"ccm 1.28 default config", Evidence{flagged, with(ccm(true), func(c *CCM) { c.DefaultUnsafe = true }), Yes, Yes, HeldByKCM}, Unknown, [2]Position{P2, P3}, true, true, "do not wait for the migration lease"},
		{"ccm 1.28 with the file", Evidence{flagged, with(ccm(true), func(c *CCM) { c.DefaultUnsafe, c.ConfigFile = true, true }), Yes, Yes, HeldByKCM}, P3, [2]Position{P3, P3}, false, false, ""},
		{"ccm without flag next to flagged", Evidence{flagged, ccm(false), Yes, Yes, HeldByKCM}, Unknown, [2]Position{P2, P5}, true, true, "run twice"},
		{"ccm next to in-tree without flag", Evidence{inTree, ccm(true), Yes, Yes, HeldByCCM}, Unknown, [2]Position{P1, P3}, true, true, "can run twice"},
		{"ccm next to one without flag", Evidence{kcms("aws+flag", "aws", "aws+flag"), ccm(true), Yes, Yes, HeldByCCM}, Unknown, [2]Position{P1, P3}, true, true, "cp-b"},
		{"one switched", Evidence{kcms("external", "aws+flag", "aws+flag"), ccm(true), Yes, Yes, HeldByKCM}, P3, [2]Position{P3, P4}, true, false, ""},
		{"one switched, no ccm", Evidence{kcms("external", "aws+flag", "aws+flag"), none, Yes, Yes, HeldByKCM}, Unknown, [2]Position{P2, P4}, true, true, "no CCM"},
		{"external with flag", Evidence{kcms("external+flag", "aws+flag", "aws+flag"), ccm(true), Yes, Yes, HeldByKCM}, Unknown, [2]Position{P2, P4}, true, true, "run none of its controllers"},
		{"every one external with flag", Evidence{kcms("external+flag", "external+flag"), ccm(true), Yes, Yes, HeldByKCM}, Unknown, [2]Position{P3, P4}, true, true, "run none"},
		{"external next to in-tree without flag", Evidence{kcms("external", "aws"), none, Yes, Yes, NoLease}, Unknown, [2]Position{P1, P4}, true, true, "next to in-tree KCM without the flag"},
		{"all switched, lease still a KCM's", Evidence{external, ccm(true), Yes, Yes, HeldByKCM}, P3, [2]Position{P3, P4}, true, false, ""},
		{"all switched, no lease yet", Evidence{external, ccm(true), Yes, Yes, NoLease}, P3, [2]Position{P3, P4}, true, false, ""},
		{"all switched, leases not visible", Evidence{external, ccm(true), Yes, Yes, OwnerUnseen}, Unknown, [2]Position{P3, P4}, false, false, "migration lease"},
		{"switched", Evidence{external, ccm(true), Yes, Yes, HeldByCCM}, P4, [2]Position{P4, P4}, false, false, ""},
		{"switched, grant gone or not visible", Evidence{external, ccm(true), Unseen, Unseen, HeldByCCM}, P4, [2]Position{P4, P4}, false, false, ""},
		{"switched, CCM leader restarting", Evidence{external, ccm(true), Yes, Yes, NoHolder}, P4, [2]Position{P3, P4}, true, false, "no living process"},
		{"switched, one CCM pod down", Evidence{external, with(ccm(true), func(c *CCM) { c.Complete = false; c.PodsWith = 2 }), Yes, Yes, HeldByCCM}, P4, [2]Position{P4, P4}, false, false, ""},
		{"flag being rolled off the CCM", Evidence{external, with(ccm(false), func(c *CCM) { c.PodsWith, c.PodsWithout = 1, 2 }), Yes, Yes, HeldByCCM}, P4, [2]Position{P4, P5}, true, false, ""},
		{"flag off, lease left", Evidence{external, ccm(false), Yes, Yes, NoHolder}, P4, [2]Position{P4, P5}, true, false, ""},
		{"flag off, grant left", Evidence{external, ccm(false), Yes, Yes, NoLease}, P4, [2]Position{P4, P5}, true, false, ""},
		{"finished", Evidence{external, ccm(false), No, No, NoLease}, P5, [2]Position{P5, P5}, false, false, ""},
		{"finished, right from a patched bootstrap role", Evidence{external, ccm(false), Yes, No, NoLease}, P5, [2]Position{P5, P5}, false, false, ""},
		{"finished, right not visible", Evidence{external, ccm(false), Unseen, No, NoLease}, P5, [2]Position{P5, P5}, false, false, ""},
		{"finished, a CCM pod down", Evidence{external, with(ccm(false), func(c *CCM) { c.Complete = false }), No, No, NoLease}, P5, [2]Position{P5, P5}, false, false, ""},
		{"finished, our Role not visible", Evidence{external, ccm(false), No, Unseen, NoLease}, Unknown, [2]Position{P4, P5}, false, false, "Role and RoleBinding"},
		{"external and no CCM", Evidence{external, none, No, No, NoLease}, Unknown, [2]Position{P2, P4}, true, true, "no process runs the cloud controllers"},
		{"one KCM not visible", Evidence{kcms("aws", "?", "aws"), none, No, No, NoLease}, Unknown, [2]Position{P0, P0}, false, false, "cp-b: no mirror pod"},
		{"CCM not visible", Evidence{inTree, CCM{Why: "forbidden"}, No, No, NoLease}, Unknown, [2]Position{P0, P0}, false, false, "forbidden"},
		{"no control plane known", Evidence{nil, none, No, No, NoLease}, Unknown, [2]Position{Unknown, Unknown}, false, false, "no control-plane machine"},
		{"nothing seen", Evidence{}, Unknown, [2]Position{Unknown, Unknown}, false, false, "could not look"},
		{"another provider", Evidence{kcms("aws", "azure"), none, No, No, NoLease}, Unknown, [2]Position{P0, P0}, true, true, `cp-b (--cloud-provider="azure")`},
		{"no provider", Evidence{kcms(""), none, No, No, NoLease}, Unknown, [2]Position{Unknown, Unknown}, true, true, "neither aws nor external"},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			got := Compute(tc.evidence)
			if got.Position != tc.want || got.Mixed != tc.mixed || got.HandMade != tc.hand || got.Between != tc.between {
				t.Errorf("got %+v, want position %s between %v mixed %v by hand %v", got, tc.want, tc.between, tc.mixed, tc.hand)
			}
			if all := strings.Join(got.Problems, "\n"); !strings.Contains(all, tc.problem) || (tc.problem == "") != (all == "") {
				t.Errorf("problems %q, want one with %q", all, tc.problem)
			}
			if got.Ungranted != (len(got.Problems) == 1 && strings.Contains(got.Problems[0], "may not use")) {
				t.Errorf("ungranted %t, problems %q", got.Ungranted, got.Problems)
			}
			if leads := got.Position == P3 && !got.Mixed && tc.evidence.Lease == HeldByCCM; got.CCMLeads != leads {
				t.Errorf("the CCM leads: %t, want %t", got.CCMLeads, leads)
			}
			if got.Summary == "" {
				t.Error("no summary")
			}
		})
	}
}

// A cluster past a step does not fall behind it when a later step removes the evidence.
func TestFinishedNeverLooksTodo(t *testing.T) {
	external := kcms("external", "external")
	for _, grant := range []Answer{Unseen, No, Partial, Yes} {
		for _, own := range []Answer{No, Yes} {
			for _, lease := range []Owner{NoLease, NoHolder, HeldByCCM} {
				for _, c := range []CCM{ccm(true), ccm(false)} {
					if c.Migration && lease == NoLease {
						continue
					}
					got := Compute(Evidence{external, c, grant, own, lease})
					if !got.Position.AtLeast(P4) || got.HandMade {
						t.Errorf("grant %d own %d lease %d flag %v: %+v", grant, own, lease, c.Migration, got)
					}
					if want := c.Migration && lease == NoHolder; got.Leaderless() != want {
						t.Errorf("lease %d flag %v: %+v, leaderless %t wanted", lease, c.Migration, got, want)
					}
				}
			}
		}
	}
}

func TestPosition_textRoundTrip(t *testing.T) {
	for _, p := range append(All(), Unknown) {
		text, err := p.MarshalText()
		if err != nil {
			t.Fatal(err)
		}
		var back Position
		if err := back.UnmarshalText(text); err != nil || back != p {
			t.Errorf("%s came back as %s, %v", p, back, err)
		}
	}
	var p Position
	if err := p.UnmarshalText([]byte("P6")); err == nil {
		t.Error("P6 was read")
	}
	if Unknown.AtLeast(P0) {
		t.Error("an unknown position is at least P0")
	}
}

// AlsoAt returns the range of a hand-made mixture, and P3 for a CCM that does not run yet.
func TestAlsoAt(t *testing.T) {
	halfway := ccm(true)
	halfway.Complete = false
	none := CCM{Seen: No}
	for name, tt := range map[string]struct {
		evidence Evidence
		want     []Position
	}{
		"flag without the right":  {Evidence{kcms("aws+flag", "aws+flag"), none, No, No, NoLease}, []Position{P0, P1, P2}},
		"external without a CCM":  {Evidence{kcms("external", "external"), none, No, No, NoLease}, []Position{P2, P3, P4}},
		"CCM without a ready pod": {Evidence{kcms("aws+flag", "aws+flag"), halfway, Yes, Yes, HeldByKCM}, []Position{P3}},
		"the flag on one of two":  {Evidence{kcms("aws+flag", "aws"), none, Yes, Yes, HeldByKCM}, nil},
		"at a position":           {Evidence{kcms("aws", "aws"), none, No, No, NoLease}, nil},
		"a KCM is not visible":    {Evidence{kcms("aws", "?"), none, No, No, NoLease}, nil},
	} {
		if got := Compute(tt.evidence).AlsoAt(); !slices.Equal(got, tt.want) {
			t.Errorf("%s: %v, want %v", name, got, tt.want)
		}
	}
}

// Text shows a position with its rungs, and a mixture without.
func TestResultText(t *testing.T) {
	for want, r := range map[string]Result{
		"P3  ●●●●○○  new controller installed, in-tree provider still in charge": at(P3),
		"P3  ●●●●○○  new controller in charge, no machine switched yet":          {Position: P3, CCMLeads: true},
		"unknown   " + Unknown.Summary():                                         at(Unknown),
		"between P3 and P4: 2 of 3 KCMs external":                                between(P3, P4, "2 of 3 KCMs external"),
	} {
		if got := r.Text(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
