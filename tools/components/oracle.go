package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
)

const (
	seed         = 27
	featureGates = "feature-gates"
)

// parserVerdict is the answer of a component's own parser.
type parserVerdict struct{ Class, Error string }

var (
	badFlag = regexp.MustCompile(`^invalid argument "((?:[^"\\]|\\.)*)" for "(?:-\w, )?--([\w.-]+)" flag`)
	newFlag = regexp.MustCompile(`^unknown flag: --(\S+)`)
	newGate = regexp.MustCompile(`(?:unrecognized feature gate: |feature gate not registered: )"?(\w+)`)
	setGate = regexp.MustCompile(`cannot set feature gate (\w+) to (\w+)`)
)

// subject returns what the parser refused as Refusal.Seen of pkg/verify/component writes it, or "". A value of
// which the parser names no flag is a list of gates.
func (p parserVerdict) subject() string {
	match := func(re *regexp.Regexp) []string { return re.FindStringSubmatch(p.Error) }
	switch p.Class {
	case "":
		return ""
	case "rule":
		return "rule"
	case "unknown flag":
		if m := match(newFlag); m != nil {
			return m[1]
		}
	case "unknown gate":
		if m := match(newGate); m != nil {
			return featureGates + " " + m[1]
		}
	case "locked gate":
		if m := match(setGate); m != nil {
			return featureGates + " " + m[1] + "=" + m[2]
		}
	default:
		m := match(badFlag)
		if m == nil {
			return featureGates + "="
		}
		value, err := strconv.Unquote(`"` + m[1] + `"`)
		if err != nil || m[2] == featureGates {
			value = ""
		}
		return m[2] + "=" + value
	}
	return p.Class + ": " + p.Error
}

// askParsers judges the lists with the components of a version.
func askParsers(root, version string, lists []argumentList) ([]parserVerdict, error) {
	verdicts := make([]parserVerdict, len(lists))
	for _, program := range programs() {
		var places []int
		var in bytes.Buffer
		for i, list := range lists {
			if list.Component != program {
				continue
			}
			places = append(places, i)
			if err := json.NewEncoder(&in).Encode(list); err != nil {
				return nil, err
			}
		}
		cmd := exec.Command(filepath.Join(root, version, program), "judge") //nolint:noctx // run by hand
		cmd.Stdin = &in
		out, err := cmd.Output()
		if err != nil {
			return nil, fmt.Errorf("%s %s: %w", version, program, err)
		}
		decoder := json.NewDecoder(bytes.NewReader(out))
		for _, i := range places {
			if err := decoder.Decode(&verdicts[i]); err != nil {
				return nil, fmt.Errorf("%s %s, list %d of %d: %w", version, program, i, len(lists), err)
			}
		}
	}
	return verdicts, nil
}

// printLists writes lists with the verdict of each built version's parser: version, component,
// arguments, first refusal. The lists of two runs are the same.
func printLists(root string, count int, versions []string) error {
	sources, err := readSources(root, versions)
	if err != nil {
		return err
	}
	maker := newListMaker(sources, seed)
	for _, s := range sources {
		if !s.built {
			continue
		}
		lists := fixedLists()
		for range count {
			lists = append(lists, maker.next())
		}
		verdicts, err := askParsers(root, s.version, lists)
		if err != nil {
			return err
		}
		for i, list := range lists {
			fmt.Printf("%s\t%s\t%s\t%s\n", s.version, list.Component, list.added(), verdicts[i].subject())
		}
	}
	return nil
}
