// Command components writes the table of flags and feature gates of Kubernetes' components, and
// argument lists with the verdicts of the components' own parsers, which the tests of
// pkg/verify/component compare with the table's. Run it by hand: a build takes five to ten
// minutes of CPU for each version.
package main

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
)

const usage = `usage:
  components build FOLDER VERSION...   build FOLDER/VERSION, which prints, judges and runs the components of a version
  components table FOLDER VERSION...   write the table of names to the standard output
  components dumps FOLDER TABLE        write what TABLE holds of its built versions, instead of building them again
  components gates FOLDER VERSION...   compare the gates of built versions with those of the source
  components patches FOLDER VERSION... compare the source of patch releases with the first of their minor
  components lists FOLDER COUNT VERSION...  write argument lists with the verdicts of built versions
  components releases CLONE            write the facts of RKE2's releases, read from a clone of rancher/rke2`

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) == 2 && args[0] == "releases" {
		return printReleases(args[1])
	}
	if len(args) < 3 {
		return errors.New(usage)
	}
	command, root, versions := args[0], args[1], args[2:]
	switch command {
	case "build":
		return buildAll(root, versions)
	case "table":
		return printTable(root, versions)
	case "dumps":
		return writeDumps(root, args[2])
	case "gates":
		return compareGates(root, versions)
	case "patches":
		return comparePatches(root, versions)
	case "lists":
		count, err := strconv.Atoi(versions[0])
		if err != nil {
			return err
		}
		return printLists(root, count, versions[1:])
	}
	return errors.New(usage)
}

func buildAll(root string, versions []string) error {
	for _, version := range versions {
		stand, err := build(version, root)
		if err != nil {
			return err
		}
		fmt.Println(version, "built; modules of other patch releases:", strings.Join(stand, " "))
	}
	return nil
}

func printTable(root string, versions []string) error {
	sources, err := readSources(root, versions)
	if err != nil {
		return err
	}
	_, err = os.Stdout.WriteString(writeTable(sources))
	return err
}

func readSources(root string, versions []string) ([]source, error) {
	var sources []source
	for _, version := range versions {
		s, err := readSource(root, version)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", version, err)
		}
		sources = append(sources, s)
	}
	slices.SortFunc(sources, func(a, b source) int { return a.minor - b.minor })
	for i := range sources {
		if sources[i].built {
			continue
		}
		if err := deriveFlags(&sources[i], nearest(sources[:i], true), nearest(sources[i+1:], false), root); err != nil {
			return nil, err
		}
	}
	return sources, nil
}

// nearest returns the last or the first built version of a list, or nil.
func nearest(sources []source, last bool) *source {
	var found *source
	for i := range sources {
		if sources[i].built && (last || found == nil) {
			found = &sources[i]
		}
	}
	return found
}

// compareGates returns an error if a built version and its source differ in a gate that the
// source declares.
func compareGates(root string, versions []string) error {
	differences := 0
	for _, version := range versions {
		s, err := readSource(root, version)
		if err != nil {
			return err
		}
		b, err := sourceOf(version, root)
		if err != nil {
			return err
		}
		read, err := sourceGates(b)
		if err != nil {
			return err
		}
		var missing []string
		for gate, spec := range s.gates {
			switch other, known := read[gate]; {
			case !known:
				missing = append(missing, gate)
			case other != spec:
				differences++
				fmt.Printf("%s %s: built %s, source %s\n", version, gate, spec, other)
			}
		}
		for gate := range read {
			if _, known := s.gates[gate]; !known {
				fmt.Printf("%s %s: in the source alone\n", version, gate)
			}
		}
		slices.Sort(missing)
		fmt.Printf("%s: %d gates built, %d in the source, missing there: %s\n", version, len(s.gates), len(read), strings.Join(missing, " "))
	}
	if differences > 0 {
		return fmt.Errorf("%d gates differ", differences)
	}
	return nil
}
