package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
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

// askParser judges the lists with the commands of a version.
func askParser(root, version string, lists []argumentList) ([]parserVerdict, error) {
	var in bytes.Buffer
	encoder := json.NewEncoder(&in)
	for _, list := range lists {
		if err := encoder.Encode(list); err != nil {
			return nil, err
		}
	}
	cmd := exec.Command(filepath.Join(root, version), "judge") //nolint:noctx // run by hand
	cmd.Stdin = &in
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", version, err)
	}
	var verdicts []parserVerdict
	decoder := json.NewDecoder(bytes.NewReader(out))
	for {
		var one parserVerdict
		if err := decoder.Decode(&one); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, err
		}
		verdicts = append(verdicts, one)
	}
	if len(verdicts) != len(lists) {
		return nil, fmt.Errorf("%s judged %d of %d lists", version, len(verdicts), len(lists))
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
		verdicts, err := askParser(root, s.version, lists)
		if err != nil {
			return err
		}
		for i, list := range lists {
			fmt.Printf("%s\t%s\t%s\t%s\n", s.version, list.Component, list.added(), verdicts[i].subject())
		}
	}
	return nil
}
