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

// writeDumps writes the dumps of the built versions of a table, which holds all that they hold, and the
// patch releases at which its ranges begin or end. They need not be built or read again for the next
// table.
func writeDumps(root, table string) error {
	content, err := os.ReadFile(table)
	if err != nil {
		return err
	}
	built, rows := readTable(string(content))
	for _, version := range built {
		minor, number, err := splitVersion(version)
		if err != nil {
			return err
		}
		dumps := emptyDumps()
		for key, pieces := range rows {
			if property := propertyAt(pieces, minor, number); property != "" {
				add(dumps, key, property)
			}
		}
		data, err := json.Marshal(dumps)
		if err != nil {
			return err
		}
		if err := writeFile(dumpOf(root, version), data); err != nil {
			return err
		}
		if err := writePatches(root, version, rows); err != nil {
			return err
		}
		fmt.Println(dumpOf(root, version))
	}
	return nil
}

// readTable returns the built versions of a table and its rows.
func readTable(content string) (built []string, rows map[string][]piece) {
	rows = map[string][]piece{}
	for line := range strings.Lines(content) {
		key, text, _ := strings.Cut(strings.TrimSuffix(line, "\n"), ": ")
		switch {
		case strings.HasSuffix(key, "built and asked"):
			for version := range strings.FieldsSeq(text) {
				built = append(built, strings.TrimPrefix(version, "v"))
			}
		case !strings.HasPrefix(key, "#"):
			rows[key] = readPieces(text)
		}
	}
	return built, rows
}

// writePatches writes the patch releases of a built version's minor next to an edge of a range.
func writePatches(root, version string, rows map[string][]piece) error {
	minor, own, err := splitVersion(version)
	if err != nil {
		return err
	}
	near := map[int]bool{}
	for _, pieces := range rows {
		for _, p := range pieces {
			if p.first.minor == minor && p.first.number > 0 {
				near[p.first.number-1], near[p.first.number] = true, true
			}
			if p.last.minor == minor && p.last.number < endOfMinor {
				near[p.last.number], near[p.last.number+1] = true, true
			}
		}
	}
	for number := range near {
		differs := map[string]string{}
		for key, pieces := range rows {
			if property := propertyAt(pieces, minor, number); property != propertyAt(pieces, minor, own) {
				differs[key] = property
			}
		}
		if err := savePatch(root, fmt.Sprintf("1.%d.%d", minor, number), differs); err != nil {
			return err
		}
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

// endOfMinor is the number of a patch release that is later than all of its minor.
const endOfMinor = 1 << 10

// piece is a range of versions with the same properties of a name.
type piece struct {
	first, last struct{ minor, number int }
	property    string
}

var piecePattern = regexp.MustCompile(`^1\.(\d+)(?:\.(\d+))?(?:-1\.(\d+)(?:\.(\d+))?)? (.*)$`)

// readPieces reads what ranges wrote.
func readPieces(text string) []piece {
	number := func(digits string, otherwise int) int {
		n, err := strconv.Atoi(digits)
		if err != nil {
			return otherwise
		}
		return n
	}
	var pieces []piece
	for one := range strings.SplitSeq(text, ", ") {
		m := piecePattern.FindStringSubmatch(one)
		if m == nil {
			continue
		}
		p := piece{property: m[5]}
		p.first.minor, p.first.number = number(m[1], 0), number(m[2], 0)
		p.last.minor, p.last.number = number(m[3], p.first.minor), number(m[4], endOfMinor)
		pieces = append(pieces, p)
	}
	return pieces
}

// propertyAt returns the property of a version, or "".
func propertyAt(pieces []piece, minor, number int) string {
	for _, p := range pieces {
		begun := p.first.minor < minor || p.first.minor == minor && p.first.number <= number
		ended := p.last.minor < minor || p.last.minor == minor && p.last.number < number
		if begun && !ended {
			return p.property
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
