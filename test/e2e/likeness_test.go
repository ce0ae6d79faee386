package e2e

import (
	"context"
	"os"
	"path/filepath"
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
