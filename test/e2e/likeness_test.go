package e2e

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/awsmigrate/awsmigrate/test/likeness"
	"github.com/awsmigrate/awsmigrate/test/scenario"
)

// sightFile has what was seen of a cluster of the same distribution on real machines.
func sightFile(lab *scenario.Lab, position string) string {
	return filepath.Join("testdata", "real-"+lab.Distro()+"-"+position+".txt")
}

// asOnRealMachines compares a lab with the record of a cluster on real machines at the same
// position. A controller may take a moment to write what it found.
func asOnRealMachines(ctx context.Context, t *testing.T, lab *scenario.Lab, position string) {
	t.Helper()
	file := sightFile(lab, position)
	raw, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	record := strings.Split(strings.TrimSpace(string(raw)), "\n")
	ctx, cancel := context.WithTimeout(ctx, 2*time.Minute)
	defer cancel()
	var different []string
	err = scenario.Until(ctx, "Nodes and Leases as in "+file, func(ctx context.Context) (bool, string, error) {
		seen, err := lab.Sight(ctx)
		if err != nil {
			return false, "", err
		}
		different = likeness.Differences(record, seen)
		return len(different) == 0, strings.Join(different, "\n"), nil
	})
	if err != nil {
		t.Errorf("%v\n%s", err, strings.Join(different, "\n"))
	}
}

// follow watches the cluster from now on.
func follow(ctx context.Context, t *testing.T, lab *scenario.Lab) *likeness.Course {
	t.Helper()
	ctx, stop := context.WithCancel(ctx)
	t.Cleanup(stop)
	course, err := lab.Course(ctx)
	if err != nil {
		t.Fatal(err)
	}
	return course
}

// wentAsOnRealMachines compares how Nodes, static pods and leases changed with the record of
// migrations on real machines. Those handed over early, and a natural hand-over lacks some of their
// changes.
func wentAsOnRealMachines(t *testing.T, lab *scenario.Lab, course *likeness.Course) {
	t.Helper()
	record := recordOf(t, lab, "course")
	if lab.Natural { // nor does it forbid them: a kube-controller-manager may restart
		record = likeness.Merge(record, slices.DeleteFunc(slices.Clone(record), func(line string) bool { return slices.Contains(earlyAlone(), line) }))
	}
	if different := likeness.Differences(record, course.Lines()); len(different) > 0 {
		t.Errorf("the changes are not those in %s:\n%s\nall of them:\n%s", sightFile(lab, "course"), strings.Join(different, "\n"), strings.Join(course.Delays(), "\n"))
	}
}

// recordOf returns no lines before the first record.
func recordOf(t *testing.T, lab *scenario.Lab, what string) []string {
	t.Helper()
	raw, err := os.ReadFile(sightFile(lab, what))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSpace(string(raw)), "\n")
}

// earlyAlone returns the changes that an early hand-over makes: the holder of the migration
// lease steps down, and its kube-controller-manager restarts.
func earlyAlone() []string {
	return []string{
		"lease cloud-provider-extraction-migration: free → held",
		"lease cloud-provider-extraction-migration: held → free",
		"pod kube-controller-manager: ready → not ready",
	}
}
