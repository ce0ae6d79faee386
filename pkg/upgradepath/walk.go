package upgradepath

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/awsmigrate/awsmigrate/pkg/verify"
	"github.com/awsmigrate/awsmigrate/pkg/verify/component"
	"github.com/awsmigrate/awsmigrate/pkg/verify/rules"
)

// walk holds what the steps of one path share.
type walk struct {
	Cluster
	target component.Version
	exact  string               // the patch release that the target names, or empty
	known  map[string]bool      // findings of former steps, by key
	judged map[string][]Finding // by class of release
}

// patch returns a step within the cluster's minor version, if the target is there, or if a newer
// patch release ends a stop of the current one.
func (w walk) patch(newer []string) (Step, bool) {
	now, err := component.ParseVersion(w.Version)
	switch {
	case err != nil:
		return Step{}, false
	case w.exact != "" && w.target.Minor == now.Minor && w.target.Patch > now.Patch:
		return w.step(now.Minor, newer), true
	case len(newer) == 0 || w.failures(w.best(newer)) >= w.failures(w.Version):
		return Step{}, false
	}
	return w.step(now.Minor, newer), true
}

// step returns the step to one of the releases of a minor version.
func (w walk) step(minor int, releases []string) Step {
	step := Step{Minor: fmt.Sprintf("1.%d", minor), Release: w.best(releases), Avoid: []Range{}, Findings: []Finding{}}
	if w.exact != "" && minor == w.target.Minor {
		step.Release = w.exact
	}
	taken := w.ask(step.Release)
	step.Avoid = append(step.Avoid, w.avoid(releases, taken)...)
	step.Manager = w.Manager(step.Release)
	step.Image, step.Note = w.Image(step.Release)
	for _, f := range append(w.migration(minor), taken...) {
		if !w.known[f.key()] {
			w.known[f.key()] = true
			step.Findings = append(step.Findings, f)
		}
	}
	return step
}

// migration returns the stop of the in-tree provider, which 1.27 no longer has.
func (w walk) migration(minor int) []Finding {
	const first = 27
	if !w.InTree || minor < first {
		return nil
	}
	fix := "migrate it, or let the migration that works on it end"
	if w.Migrate != "" {
		fix = "look at `" + w.Migrate + "`, then migrate"
	}
	return []Finding{{Check: rules.VersionWindow().ID, Finding: verify.Failure(w.Name, "the in-tree provider still runs, and Kubernetes 1.27 has none: the migration comes first",
		"the external provider", fix)}}
}

// best returns the newest release on which the fewest checks fail.
func (w walk) best(releases []string) string {
	best := releases[len(releases)-1]
	for _, release := range slices.Backward(releases) {
		if w.failures(release) < w.failures(best) {
			best = release
		}
	}
	return best
}

// failures returns the number of checks that fail on a release, however many objects they name.
func (w walk) failures(release string) int {
	checks := map[string]bool{}
	for _, f := range stops(w.judge(release)) {
		checks[f.Check] = true
	}
	return len(checks)
}

// avoid returns the releases with stops that the taken one does not have, as ranges.
func (w walk) avoid(releases []string, taken []Finding) []Range {
	var found []Range
	open := map[string]int{} // index of the range that ends at the release before, by key
	for _, release := range releases {
		still := map[string]int{}
		for _, f := range stops(w.judge(release)) {
			if slices.ContainsFunc(taken, func(t Finding) bool { return t.key() == f.key() }) {
				continue
			}
			at, continued := open[f.key()]
			if !continued {
				at, found = len(found), append(found, Range{First: short(release), Finding: w.on(release, f)})
			}
			found[at].Last, still[f.key()] = short(release), at
		}
		open = still
	}
	return found
}

func stops(found []Finding) []Finding {
	return slices.DeleteFunc(slices.Clone(found), func(f Finding) bool { return f.Status != verify.Fail })
}

// on returns a finding as its check words it for this very release: judge words it for another one
// of the same class.
func (w walk) on(release string, f Finding) Finding {
	own := w.ask(release)
	if i := slices.IndexFunc(own, func(o Finding) bool { return o.key() == f.key() }); i >= 0 {
		return own[i]
	}
	return f
}

// judge returns the findings of every check on a release, or on one of its class.
func (w walk) judge(release string) []Finding {
	v, _ := component.ParseVersion(release)
	class := component.FirstNamed(v).String()
	if w.Class != nil {
		class += " " + w.Class(release)
	}
	if found, done := w.judged[class]; done {
		return found
	}
	w.judged[class] = w.ask(release)
	return w.judged[class]
}

// ask returns the findings of every check on a release.
func (w walk) ask(release string) []Finding {
	var found []Finding
	for _, check := range w.Checks {
		for _, f := range check.OnRelease(release) {
			if f.Status == verify.Fail || f.Status == verify.Warn || f.Status == verify.Unknown {
				f.Fix = cmp.Or(f.Fix, check.Fix)
				found = append(found, Finding{Check: check.ID, Finding: f})
			}
		}
	}
	return found
}
