package component

import (
	_ "embed"
	"slices"
	"strconv"
	"strings"

	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

// Components with flags in the table of names, besides those of wellknown.
const (
	Scheduler = "kube-scheduler"
	Proxy     = "kube-proxy"
	Kubelet   = "kubelet"
)

// Programs returns the components with flags in the table of names.
func Programs() []string {
	return []string{wellknown.APIServer, wellknown.KCM, Scheduler, Proxy, Kubelet}
}

// nameTable holds the flags and the feature gates of every minor version, as tools/components
// writes them. After the header, each line holds a key and the minors in which it has the same
// properties: "gate AppArmor: 1.22-1.30 beta on, 1.31-1.32 ga on locked". A range that begins or ends
// within a minor has the patch release: "1.27.13-1.28 beta off" begins with 1.27.13. A gate that some components
// do not know names those that do: "gate IPv6DualStack: 1.25-1.26 ga on locked of kube-controller-manager".
//
//go:embed names.txt
var nameTable string

// minorsPrefix begins the line of the header that holds the first and the last minor.
const minorsPrefix = "# minors: "

// versionRange holds the first and the last version of a range of Kubernetes 1.
type versionRange struct{ first, last Version }

// contains reports whether a version is in the range.
func (r versionRange) contains(v Version) bool {
	return !v.before(r.first) && !r.last.before(v)
}

// parseRange reads "1.22-1.26", "1.22" or "1.27.13-1.28"; the zero range contains no version.
func parseRange(text string) versionRange {
	low, high, several := strings.Cut(text, "-")
	if !several {
		high = low
	}
	return versionRange{edge(low, 0), edge(high, anyPatch)}
}

// edge reads "1.27.13", or "1.27" with the given patch release. It does without ParseVersion, which
// took most of the time of a lookup.
func edge(text string, patch int) Version {
	minor, number, exact := strings.Cut(strings.TrimPrefix(text, "1."), ".")
	v := Version{Major: 1, Patch: patch}
	var err error
	if v.Minor, err = strconv.Atoi(minor); err != nil {
		return Version{}
	}
	if exact {
		if v.Patch, err = strconv.Atoi(number); err != nil {
			return Version{}
		}
	}
	return v
}

// tableRange returns the versions that the table covers.
func tableRange() versionRange {
	_, rest, _ := strings.Cut(nameTable, minorsPrefix)
	text, _, _ := strings.Cut(rest, "\n")
	return parseRange(text)
}

// standFor returns the version whose names stand for another one: its own, or the last of the table
// for a later version. It returns false for a version before the table.
func standFor(v Version) (Version, bool) {
	covered := tableRange()
	switch {
	case v.Major != 1 || v.before(covered.first):
		return Version{}, false
	case covered.last.before(v):
		return covered.last, true
	}
	return v, true
}

// patchesPrefix begins the line of the header that holds the patch releases from which on their minor has
// other names.
const patchesPrefix = "# patches: "

// FirstNamed returns the first version whose components know the same flags and gates as those of v
// and of every version between them. The first patch release of a minor counts as 0.
func FirstNamed(v Version) Version {
	first := Version{v.Major, v.Minor, 0}
	_, rest, _ := strings.Cut(nameTable, patchesPrefix)
	patches, _, _ := strings.Cut(rest, "\n")
	for text := range strings.FieldsSeq(patches) {
		if from := edge(text, 0); from.Minor == v.Minor && !v.before(from) {
			first = from
		}
	}
	return first
}

// entry returns the line of a key without the key, or "". The lines are sorted by their keys.
func entry(key string) string {
	low, high := 0, len(nameTable)
	for low < high {
		middle := low + (high-low)/2
		start := strings.LastIndexByte(nameTable[:middle], '\n') + 1
		line, _, _ := strings.Cut(nameTable[start:], "\n")
		found, pieces, _ := strings.Cut(line, ": ")
		switch strings.Compare(found, key) {
		case 0:
			return pieces
		case -1:
			low = start + len(line) + 1
		default:
			high = start
		}
	}
	return ""
}

// propertiesIn returns the properties that a line gives its key in a version, or nil.
func propertiesIn(pieces string, v Version) []string {
	for _, piece := range strings.Split(pieces, ", ") {
		versions, words, _ := strings.Cut(piece, " ")
		if parseRange(versions).contains(v) {
			return strings.Fields(words)
		}
	}
	return nil
}

// flagType returns the type of a component's flag in a version of the table, in the words of pflag, or
// false if the component does not know the flag.
func flagType(program, flag string, v Version) (string, bool) {
	words := propertiesIn(entry(program+" "+flag), v)
	if words == nil {
		return "", false
	}
	return words[0], true
}

// gateState describes a feature gate of one version.
type gateState struct {
	stage      string // alpha, beta, ga or deprecated
	on, locked bool
	of         []string // the components that know it; nil: all
	needs      []string // gates that must be on with it
}

// knownTo reports whether a component knows the gate.
func (s gateState) knownTo(program string) bool { return s.of == nil || slices.Contains(s.of, program) }

// position returns "on" or "off", the default of the gate.
func (s gateState) position() string {
	if s.on {
		return "on"
	}
	return "off"
}

// gateOf returns the state of a gate in a version, or false if none of its components knows it.
// It returns false for a version before the table, too.
func gateOf(gate string, v Version) (gateState, bool) {
	known, covered := standFor(v)
	if !covered {
		return gateState{}, false
	}
	return parseGate(propertiesIn(entry("gate "+gate), known))
}

// parseGate reads the properties of a gate; nil is no gate.
func parseGate(words []string) (gateState, bool) {
	if words == nil {
		return gateState{}, false
	}
	state := gateState{stage: words[0], on: words[1] == "on", locked: slices.Contains(words, "locked")}
	if i := slices.Index(words, ofWord); i >= 0 {
		state.of = strings.Split(words[i+1], ",")
	}
	if i := slices.Index(words, needsWord); i >= 0 {
		state.needs = words[i+1:]
	}
	return state, true
}

// These come before the components that know a gate, and before the gates that it needs.
const ofWord, needsWord = "of", "needs"

// needsOf returns what every gate needs in a version of the table.
func needsOf(v Version) map[string][]string {
	needs := map[string][]string{}
	for line := range strings.Lines(nameTable) {
		if !strings.Contains(line, " "+needsWord+" ") {
			continue
		}
		key, pieces, _ := strings.Cut(strings.TrimSuffix(line, "\n"), ": ")
		if state, known := parseGate(propertiesIn(pieces, v)); known && len(state.needs) > 0 {
			needs[strings.TrimPrefix(key, "gate ")] = state.needs
		}
	}
	return needs
}
