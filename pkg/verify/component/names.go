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
// properties: "gate AppArmor: 1.22-1.30 beta on, 1.31-1.32 ga on locked". A gate that some components
// do not know names those that do: "gate IPv6DualStack: 1.25-1.26 ga on locked of kube-controller-manager".
//
//go:embed names.txt
var nameTable string

// minorsPrefix begins the line of the header that holds the first and the last minor.
const minorsPrefix = "# minors: "

// minorRange is a range of minor versions of Kubernetes 1.
type minorRange struct{ first, last int }

// parseMinors reads "1.22-1.26" or "1.22"; the zero range contains no version.
func parseMinors(text string) minorRange {
	first, last, several := strings.Cut(text, "-")
	if !several {
		last = first
	}
	low, err := strconv.Atoi(strings.TrimPrefix(first, "1."))
	if err != nil {
		return minorRange{}
	}
	high, err := strconv.Atoi(strings.TrimPrefix(last, "1."))
	if err != nil {
		return minorRange{}
	}
	return minorRange{low, high}
}

// tableMinors returns the minors that the table covers.
func tableMinors() minorRange {
	_, rest, _ := strings.Cut(nameTable, minorsPrefix)
	text, _, _ := strings.Cut(rest, "\n")
	return parseMinors(text)
}

// minorOf returns the minor whose names stand for a version: its own, or the last of the table
// for a later version. It returns false for a version before the table.
func minorOf(v Version) (int, bool) {
	covered := tableMinors()
	if v.Major != 1 || v.Minor < covered.first {
		return 0, false
	}
	return min(v.Minor, covered.last), true
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

// propertiesIn returns the properties that a line gives its key in a minor, or nil.
func propertiesIn(pieces string, minor int) []string {
	for _, piece := range strings.Split(pieces, ", ") {
		minors, words, _ := strings.Cut(piece, " ")
		if in := parseMinors(minors); in.first <= minor && minor <= in.last {
			return strings.Fields(words)
		}
	}
	return nil
}

// flagType returns the type of a component's flag in a minor, in the words of pflag, or false
// if the component does not know the flag.
func flagType(program, flag string, minor int) (string, bool) {
	pieces := entry(program + " " + flag)
	words := propertiesIn(pieces, minor)
	if words == nil {
		return "", false
	}
	return words[0], true
}

// gateState describes a feature gate of one minor.
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
	minor, covered := minorOf(v)
	if !covered {
		return gateState{}, false
	}
	pieces := entry("gate " + gate)
	return parseGate(propertiesIn(pieces, minor))
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

// needsOf returns what every gate needs in a minor.
func needsOf(minor int) map[string][]string {
	needs := map[string][]string{}
	for line := range strings.Lines(nameTable) {
		if !strings.Contains(line, " "+needsWord+" ") {
			continue
		}
		key, pieces, _ := strings.Cut(strings.TrimSuffix(line, "\n"), ": ")
		if state, known := parseGate(propertiesIn(pieces, minor)); known && len(state.needs) > 0 {
			needs[strings.TrimPrefix(key, "gate ")] = state.needs
		}
	}
	return needs
}
