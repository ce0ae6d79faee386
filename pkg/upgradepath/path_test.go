package upgradepath

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/verify"
	"github.com/awsmigrate/awsmigrate/pkg/verify/component"
	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

// cluster returns a cluster of RKE2 whose check judge judges releases.
func cluster(version string, judge func(release string) []verify.Finding) Cluster {
	check := verify.Check[string]{Meta: verify.Meta{ID: "AWSM-999", Fix: "mend it"},
		Release: func(_ string, release string) []verify.Finding { return judge(release) }}
	return Cluster{Name: "demo", Distribution: wellknown.RKE2, Version: version, Checks: verify.Bind("", check), Expected: []string{"AWSM-999"},
		Class: func(release string) string { return release }, Manager: func(string) string { return "" }, Image: func(string) (string, string) { return "", "" }}
}

// failsIn fails the releases of a minor version from first to last.
func failsIn(minor, first, last int, object string) func(string) []verify.Finding {
	return func(release string) []verify.Finding {
		if v, _ := component.ParseVersion(release); v.Minor == minor && v.Patch >= first && v.Patch <= last {
			return []verify.Finding{verify.Failure(object, release+" exits", "", "")}
		}
		return nil
	}
}

// summary returns the steps as lines.
func summary(p Path) []string {
	var lines []string
	for _, step := range p.Steps {
		line := step.Minor + " " + step.Release
		for _, r := range step.Avoid {
			line += " avoid " + r.First + ".." + r.Last
		}
		for _, f := range step.Findings {
			line += " " + string(f.Status) + " " + f.Check + " " + f.Object
		}
		lines = append(lines, line)
	}
	return lines
}

func TestCompute_checks_steps(t *testing.T) {
	none := func(string) []verify.Finding { return nil }
	fromOn := func(minor int) func(string) []verify.Finding {
		return func(release string) []verify.Finding {
			if v, _ := component.ParseVersion(release); v.AtLeast(1, minor) {
				return []verify.Finding{verify.Failure("flag x", "of "+release, "", "remove x")}
			}
			return nil
		}
	}
	for name, tt := range map[string]struct {
		from, to string
		inTree   bool
		judge    func(string) []verify.Finding
		want     []string
	}{
		"nothing":              {"v1.33.1+rke2r1", "v1.35", false, none, []string{"1.34 v1.34.10+rke2r1", "1.35 v1.35.7+rke2r1"}},
		"at the target":        {"v1.35.1+rke2r1", "v1.35", false, none, nil},
		"the newest":           {"v1.35.1+rke2r1", "", false, none, []string{"1.36 v1.36.3+rke2r1"}},
		"a patch release":      {"v1.33.1+rke2r1", "v1.34.2+rke2r1", false, none, []string{"1.34 v1.34.2+rke2r1"}},
		"a patch of the minor": {"v1.33.1+rke2r1", "v1.33.9+rke2r1", false, none, []string{"1.33 v1.33.9+rke2r1"}},
		"a hole":               {"v1.28.15+rke2r1", "v1.29", false, failsIn(29, 0, 10, "kube-apiserver"), []string{"1.29 v1.29.15+rke2r1 avoid v1.29.0..v1.29.10"}},
		"two holes": {"v1.28.15+rke2r1", "v1.29", false, func(release string) []verify.Finding {
			return append(failsIn(29, 0, 1, "x")(release), failsIn(29, 12, 12, "x")(release)...)
		}, []string{"1.29 v1.29.15+rke2r1 avoid v1.29.0..v1.29.1 avoid v1.29.12..v1.29.12"}},
		"the newest exits":   {"v1.28.15+rke2r1", "v1.29", false, failsIn(29, 15, 15, "x"), []string{"1.29 v1.29.14+rke2r1 avoid v1.29.15..v1.29.15"}},
		"in a hole":          {"v1.29.8+rke2r1", "v1.29", false, failsIn(29, 0, 10, "kube-apiserver"), []string{"1.29 v1.29.15+rke2r1 avoid v1.29.9..v1.29.10"}},
		"a target in a hole": {"v1.28.15+rke2r1", "v1.29.5+rke2r1", false, failsIn(29, 0, 10, "kube-apiserver"), []string{"1.29 v1.29.5+rke2r1 fail AWSM-999 kube-apiserver"}},
		"a stop, said once":  {"v1.33.1+rke2r1", "v1.36", false, fromOn(35), []string{"1.34 v1.34.10+rke2r1", "1.35 v1.35.7+rke2r1 fail AWSM-999 flag x", "1.36 v1.36.3+rke2r1"}},
		"in-tree":            {"v1.26.15+rke2r1", "v1.28", true, none, []string{"1.27 v1.27.16+rke2r2 fail AWSM-101 demo", "1.28 v1.28.15+rke2r1"}},
		"in-tree up to 1.26": {"v1.25.16+rke2r2", "v1.26", true, none, []string{"1.26 v1.26.15+rke2r1"}},
	} {
		t.Run(name, func(t *testing.T) {
			c := cluster(tt.from, tt.judge)
			c.InTree = tt.inTree
			path, err := Compute(c, tt.to)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, summary(path)); diff != "" || path.End != "" || len(path.Undecided) > 0 {
				t.Errorf("want (-), got (+), end %q, undecided %q:\n%s", path.End, path.Undecided, diff)
			}
		})
	}
}

// A gate that only later patch releases of a minor know makes them a class of their own.
func TestCompute_patchesWithOtherNames_judgedApart(t *testing.T) {
	c := cluster("v1.27.16+rke2r1", failsIn(28, 0, 7, "SeparateCacheWatchRPC"))
	c.Class = nil // that of the distribution does not tell them apart
	path, err := Compute(c, "v1.28")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"1.28 v1.28.15+rke2r1 avoid v1.28.1..v1.28.7"}, summary(path)); diff != "" {
		t.Error(diff)
	}
}

func TestCompute_findings_mended(t *testing.T) {
	c := cluster("v1.35.1+rke2r1", func(string) []verify.Finding {
		return []verify.Finding{verify.Failure("a", "b", "", ""), verify.Warning("c", "d", "", "own"), verify.Undecided("e", "f"), verify.Notice("g", "h")}
	})
	path, err := Compute(c, "")
	if err != nil {
		t.Fatal(err)
	}
	for status, want := range map[verify.Status]string{verify.Fail: "mend it", verify.Warn: "own", verify.Unknown: "mend it"} {
		if found := path.Stops(status); len(found) != 1 || found[0].Fix != want {
			t.Errorf("%s: %+v, wanted the fix %q", status, found, want)
		}
	}
	if len(path.Stops(verify.OK)) > 0 {
		t.Error("a notice is no finding")
	}
}

func TestCompute_noReleaseJudged_undecided(t *testing.T) {
	c := cluster("v1.35.1+rke2r1", nil)
	c.Checks = verify.Unjudged([]verify.Meta{{ID: "AWSM-999"}}, "forbidden")
	path, err := Compute(c, "")
	if err != nil || !slices.Equal(path.Undecided, []string{"AWSM-999"}) {
		t.Errorf("%v, %q", err, path.Undecided)
	}
}

func TestCompute_RKE_ends(t *testing.T) {
	for to, ends := range map[string]bool{"": true, "v1.36": true, "v1.32": true, "v1.30": false} {
		c := cluster("v1.28.14-rancher1-1", func(string) []verify.Finding { return nil })
		c.Distribution = wellknown.RKE
		path, err := Compute(c, to)
		if err != nil || (path.End != "") != ends || ends && path.To != "v1.32" {
			t.Errorf("%s: %v, to %s, end %q", to, err, path.To, path.End)
		}
	}
}

func TestCompute_badTarget_refused(t *testing.T) {
	for name, tt := range map[string]struct {
		from, to string
		class    fault.Class
	}{
		"older":            {"v1.30.1+rke2r1", "v1.29", fault.Usage},
		"an older patch":   {"v1.30.4+rke2r1", "v1.30.3+rke2r1", fault.Usage},
		"not known":        {"v1.30.1+rke2r1", "v1.99", fault.Usage},
		"no version":       {"v1.30.1+rke2r1", "soon", fault.Usage},
		"no version there": {"", "v1.30", fault.Check},
	} {
		_, err := Compute(cluster(tt.from, nil), tt.to)
		if f, ok := fault.As(err); !ok || f.Class != tt.class {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestReleasesOf_rows_sorted(t *testing.T) {
	for _, d := range wellknown.Distributions() {
		last := component.Version{}
		for _, release := range releasesOf(d) {
			v, err := component.ParseVersion(release)
			if err != nil || !v.AtLeast(last.Major, last.Minor) || v.Minor == last.Minor && v.Patch <= last.Patch {
				t.Errorf("%s: %s after %s: %v", d, release, last, err)
			}
			if d == wellknown.RKE2 && !strings.Contains(release, "+rke2r") || d == wellknown.RKE && v.Minor > 22 && ProgramsOfRKE(release) == "" {
				t.Errorf("%s: %s", d, release)
			}
			last = v
		}
	}
}
