package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// patch is a patch release of a minor that was built with another one.
type patch struct {
	number  int
	differs map[string]string // "gate Name" to its properties, or "" for a gate that it does not know
}

// patchesOf returns the folder with the patch releases of a minor.
func patchesOf(root string, minor int) string {
	return filepath.Join(root, "differ", fmt.Sprintf("1.%d", minor))
}

// savePatch saves in which gates a patch release differs from the version of its minor that was built.
func savePatch(root, version string, differs map[string]string) error {
	data, err := json.Marshal(differs)
	if err != nil {
		return err
	}
	minor, number, err := splitVersion(version)
	if err != nil {
		return err
	}
	return writeFile(filepath.Join(patchesOf(root, minor), strconv.Itoa(number)), data)
}

// readPatches returns the saved patch releases of a version's minor, without the version itself.
func readPatches(root, version string) ([]patch, error) {
	minor, own, err := splitVersion(version)
	if err != nil {
		return nil, err
	}
	dir := patchesOf(root, minor)
	files, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	var found []patch
	for _, file := range files {
		number, err := strconv.Atoi(file.Name())
		if err != nil {
			return nil, err
		}
		data, err := os.ReadFile(filepath.Join(dir, file.Name()))
		if err != nil {
			return nil, err
		}
		p := patch{number: number}
		if err := json.Unmarshal(data, &p.differs); err != nil {
			return nil, fmt.Errorf("%s of %s: %w", file.Name(), dir, err)
		}
		if number != own {
			found = append(found, p)
		}
	}
	return found, nil
}

// splitVersion returns 31 and 2 for 1.31.2.
func splitVersion(version string) (minor, number int, err error) {
	parts := strings.Split(version, ".")
	if len(parts) != 3 {
		return 0, 0, fmt.Errorf("version %q is not of the form 1.31.2", version)
	}
	minor, err = strconv.Atoi(parts[1])
	if err != nil {
		return 0, 0, err
	}
	number, err = strconv.Atoi(parts[2])
	return minor, number, err
}

// point is a version whose names the table holds.
type point struct {
	patch
	source, minor int
	first, last   bool // of its minor
}

// pointsOf returns the versions of all sources with their patch releases, in order.
func pointsOf(sources []source) []point {
	var points []point
	for i, s := range sources {
		_, own, _ := splitVersion(s.version) // read by readSource
		all := append(slices.Clone(s.patches), patch{number: own})
		slices.SortFunc(all, func(a, b patch) int { return a.number - b.number })
		for k, p := range all {
			points = append(points, point{patch: p, source: i, minor: s.minor, first: k == 0, last: k == len(all)-1})
		}
	}
	return points
}

// properties returns the properties of every name at a point.
func (p point) properties(s source) map[string]string {
	all := maps.Clone(s.flags)
	for gate, spec := range s.gates {
		all["gate "+gate] = spec.String()
	}
	maps.Copy(all, p.differs)
	return all
}

// ranges writes the properties of one key: "1.22-1.24 alpha off, 1.25 beta on". A range that begins or
// ends within a minor has the patch release: "1.27.12-1.28 beta off".
func ranges(properties []string, points []point) string {
	var pieces []string
	for i := 0; i < len(properties); {
		last := i
		for last+1 < len(properties) && properties[last+1] == properties[i] {
			last++
		}
		if properties[i] != "" {
			pieces = append(pieces, rangeOf(points[i], points[last])+" "+properties[i])
		}
		i = last + 1
	}
	return strings.Join(pieces, ", ")
}

// changes returns the patch releases from which on their minor has other names.
func changes(rows map[string][]string, points []point) []string {
	var found []string
	for i, p := range points {
		differs := func(properties []string) bool { return !p.first && properties[i] != properties[i-1] }
		if slices.ContainsFunc(slices.Collect(maps.Values(rows)), differs) {
			found = append(found, edge(p, false))
		}
	}
	return found
}

func rangeOf(first, last point) string {
	if first.first && last.last && first.minor == last.minor {
		return fmt.Sprintf("1.%d", first.minor)
	}
	return edge(first, first.first) + "-" + edge(last, last.last)
}

// edge returns a version as the edge of a range; the first and the last of a minor stand for all patches
// before and after them.
func edge(p point, open bool) string {
	if open {
		return fmt.Sprintf("1.%d", p.minor)
	}
	return fmt.Sprintf("1.%d.%d", p.minor, p.number)
}
