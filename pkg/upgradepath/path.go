package upgradepath

import (
	"fmt"
	"slices"
	"strings"

	"github.com/Masterminds/semver/v3"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/verify"
	"github.com/awsmigrate/awsmigrate/pkg/verify/component"
	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

// Cluster describes the beginning of a path, from one reading.
type Cluster struct {
	Name         string
	Distribution wellknown.Distribution
	Version      string // Kubernetes version in force
	// InTree reports whether the in-tree provider runs, which must be migrated before 1.27.
	InTree bool
	// Migrate is the command that shows the plan of the migration.
	Migrate string
	// Upgrade returns the command that upgrades to a release. It is nil without a command line.
	Upgrade func(release string) string
	Checks  []verify.Bound
	// Expected holds the IDs of the checks that judge releases of this distribution.
	Expected []string
	// Class returns a key that is equal for releases of one minor version that need one
	// judgement. If nil, all releases of a minor version do.
	Class func(release string) string
	// Manager returns the versions of Rancher, or of rke, that know a release, or "".
	Manager func(release string) string
	// Image returns the image tag of the CCM for a release, and a property that the tag hides.
	Image func(release string) (tag, note string)
}

// Path is the way from a cluster's version to a target.
type Path struct {
	From  string `json:"from"`
	To    string `json:"to"`
	Steps []Step `json:"steps"`
	// End says why the path ends before the newest release of Kubernetes, and where the way goes
	// on. It is empty for RKE2.
	End string `json:"end,omitempty"`
	// Next is the command that begins the path, or empty if its first step is stopped.
	Next string `json:"next,omitempty"`
	// Undecided holds the IDs of checks that judge releases and could not judge this cluster.
	Undecided []string `json:"undecided"`
}

// Step is one upgrade of a path.
type Step struct {
	Minor   string  `json:"minor"`   // "1.28"
	Release string  `json:"release"` // the release to take
	Avoid   []Range `json:"avoid"`
	// Manager holds the versions of Rancher, or of rke, that know the release, or "" if unknown.
	Manager string `json:"manager"`
	// Image is the CCM's image tag once every machine runs the release, or empty if unknown.
	Image string `json:"ccmImage"`
	Note  string `json:"ccmNote,omitempty"`
	// Findings are the findings that appear at this step for the first time.
	Findings []Finding `json:"findings"`
}

// Range holds releases to avoid, and the finding for the first of them.
type Range struct {
	First string `json:"first"`
	Last  string `json:"last"`
	Finding
}

// Finding is a finding of a check on a release.
type Finding struct {
	Check string `json:"check"`
	verify.Finding
}

// key identifies a finding on several releases, whose versions are in its text.
func (f Finding) key() string { return f.Check + "\n" + f.Object + "\n" + f.Fix }

// Stops returns the findings of a status, in the order of the steps.
func (p Path) Stops(status verify.Status) []Finding {
	var found []Finding
	for _, step := range p.Steps {
		for _, f := range step.Findings {
			if f.Status == status {
				found = append(found, f)
			}
		}
	}
	return found
}

// Compute returns the path of a cluster to a version such as "v1.36" or "v1.33.13+rke2r2", or to
// the newest known release if it is empty.
func Compute(c Cluster, to string) (Path, error) {
	now, err := component.ParseVersion(c.Version)
	if err != nil {
		return Path{}, &fault.Error{Class: fault.Check, Reason: "BadVersion", Object: "Kubernetes of " + c.Name,
			Seen: err.Error(), Wanted: "a version such as v1.26.15", Fix: "set the version that the cluster runs"}
	}
	all := releasesOf(c.Distribution)
	last, _ := component.ParseVersion(all[len(all)-1])
	target, exact, err := targetOf(to, now, last, c.Distribution)
	if err != nil {
		return Path{}, err
	}
	path := Path{From: c.Version, To: fmt.Sprintf("v1.%d", target.Minor), Steps: []Step{}, Undecided: c.undecided()}
	if exact {
		path.To = to
	}
	if c.Distribution == wellknown.RKE && target.Minor == last.Minor {
		path.End = EndOfRKE
	}
	w := walk{Cluster: c, target: target, exact: to, known: map[string]bool{}, judged: map[string][]Finding{}}
	if !exact {
		w.exact = ""
	}
	if step, due := w.patch(after(all, c.Version)); due {
		path.Steps = append(path.Steps, step)
	}
	for minor := now.Minor + 1; minor <= target.Minor; minor++ {
		path.Steps = append(path.Steps, w.step(minor, ofMinor(all, minor)))
	}
	path.Next = c.next(path.Steps)
	return path, nil
}

// next returns the command that takes the first step, or the migration before it.
func (c Cluster) next(steps []Step) string {
	switch {
	case len(steps) == 0:
		return ""
	case c.InTree:
		return c.Migrate
	case c.Upgrade == nil || slices.ContainsFunc(steps[0].Findings, func(f Finding) bool { return f.Status == verify.Fail }):
		return ""
	}
	return c.Upgrade(steps[0].Release)
}

// EndOfRKE says where the way of an RKE cluster goes on.
const EndOfRKE = "RKE ends at Kubernetes 1.32: rke has no release after v1.8.14, and Rancher 2.12 and later do not manage RKE clusters. The way goes on with a new RKE2 cluster, to which the workloads move"

// targetOf parses a target. exact reports whether it names a patch release.
func targetOf(to string, now, last component.Version, d wellknown.Distribution) (target component.Version, exact bool, err error) {
	if to == "" {
		return last, false, nil
	}
	refuse := func(seen, wanted string) error {
		return &fault.Error{Class: fault.Usage, Reason: "Usage", Object: "flag --to", Seen: seen, Wanted: wanted}
	}
	target, err = component.ParseVersion(to)
	exact = strings.Count(to, ".") > 1
	switch {
	case err != nil || target.Major != 1:
		return target, exact, refuse(fmt.Sprintf("invalid value %q", to), "a version such as v1.36 or v1.33.13+rke2r2")
	case target.Minor < now.Minor || exact && target.Minor == now.Minor && target.Patch < now.Patch:
		return target, exact, refuse(to+" is older than the cluster", "a version after "+now.String())
	case target.Minor > last.Minor && d == wellknown.RKE:
		return last, false, nil // the path says where it ends
	case target.Minor > last.Minor:
		return target, exact, refuse("no release of "+to+" is known", fmt.Sprintf("v1.%d or older, or a newer awsmigrate", last.Minor))
	}
	return target, exact, nil
}

// undecided returns the expected checks that do not judge releases of this cluster.
func (c Cluster) undecided() []string {
	missing := slices.Clone(c.Expected)
	for _, check := range c.Checks {
		if check.JudgesReleases() {
			missing = slices.DeleteFunc(missing, func(id string) bool { return id == check.ID })
		}
	}
	slices.Sort(missing)
	return slices.Compact(missing)
}

// after returns the releases of a version's minor that are newer than it.
func after(all []string, version string) []string {
	now, _ := semver.NewVersion(version)
	v, _ := component.ParseVersion(version)
	return slices.DeleteFunc(ofMinor(all, v.Minor), func(release string) bool {
		r := semver.MustParse(release)
		return now == nil || r.Patch() <= now.Patch()
	})
}

func ofMinor(all []string, minor int) []string {
	var found []string
	for _, release := range all {
		if v, err := component.ParseVersion(release); err == nil && v.Minor == minor {
			found = append(found, release)
		}
	}
	return found
}

// short returns a release without its build: v1.29.10.
func short(release string) string {
	release, _, _ = strings.Cut(release, "+")
	return release
}
