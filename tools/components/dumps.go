package main

import (
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// dump holds the flags and gates of a component of a built version, as its probe prints them.
type dump struct {
	Flags []flagDump
	Gates []gateDump
}

type flagDump struct{ Name, Type string }

type gateDump struct {
	Name, Stage string
	On, Locked  bool
	Needs       []string
}

// writeDumps writes the dumps of the built versions of a table, which holds all that they hold.
// They need not be built again for the next table.
func writeDumps(root, table string) error {
	content, err := os.ReadFile(table)
	if err != nil {
		return err
	}
	dumps := map[string]map[string]*dump{}
	for line := range strings.Lines(string(content)) {
		key, text, _ := strings.Cut(strings.TrimSuffix(line, "\n"), ": ")
		switch {
		case strings.HasSuffix(key, "built and asked"):
			for version := range strings.FieldsSeq(text) {
				dumps[strings.TrimPrefix(version, "v")] = emptyDumps()
			}
		case !strings.HasPrefix(key, "#"):
			for version, d := range dumps {
				if property := propertyOf(text, strings.Split(version, ".")[1]); property != "" {
					add(d, key, property)
				}
			}
		}
	}
	for version, d := range dumps {
		data, err := json.Marshal(d)
		if err != nil {
			return err
		}
		if err := writeFile(dumpOf(root, version), data); err != nil {
			return err
		}
		fmt.Println(dumpOf(root, version))
	}
	return nil
}

func emptyDumps() map[string]*dump {
	dumps := map[string]*dump{}
	for _, program := range programs() {
		dumps[program] = &dump{}
	}
	return dumps
}

var rangePattern = regexp.MustCompile(`^1\.(\d+)(?:-1\.(\d+))? (.*)$`)

// propertyOf returns the property of a minor version in what ranges wrote, or "".
func propertyOf(text, minor string) string {
	n, err := strconv.Atoi(minor)
	for piece := range strings.SplitSeq(text, ", ") {
		m := rangePattern.FindStringSubmatch(piece)
		if m == nil || err != nil {
			continue
		}
		first, _ := strconv.Atoi(m[1]) // digits
		last, err := strconv.Atoi(m[2])
		if err != nil {
			last = first
		}
		if first <= n && n <= last {
			return m[3]
		}
	}
	return ""
}

// add adds a flag "kubelet v" or a gate "gate Name" with its property.
func add(dumps map[string]*dump, key, property string) {
	owner, name, _ := strings.Cut(key, " ")
	if owner != "gate" {
		dumps[owner].Flags = append(dumps[owner].Flags, flagDump{name, property})
		return
	}
	spec, needs, _ := strings.Cut(property, " needs ")
	spec, of, some := strings.Cut(spec, " of ")
	words := strings.Fields(spec)
	gate := gateDump{Name: name, Stage: words[0], On: slices.Contains(words, "on"), Locked: slices.Contains(words, "locked"), Needs: strings.Fields(needs)}
	for program, d := range dumps {
		if !some || slices.Contains(strings.Split(of, ","), program) {
			d.Gates = append(d.Gates, gate)
		}
	}
}
