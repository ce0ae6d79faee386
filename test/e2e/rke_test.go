package e2e

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/awsmigrate/awsmigrate/test/scenario"
)

// TestRKE migrates a cluster that rke made, end to end. cluster.yml becomes what the plan
// shows, and a second run changes nothing.
func TestRKE(t *testing.T) {
	lab := boot(t, "--distro", "rke", "--lease", quick)
	ctx := within(t, 20*time.Minute)
	t.Run("audited", func(t *testing.T) { auditedRKE(ctx, t, lab) })
	t.Run("granted", func(t *testing.T) {
		target := []string{"--config", lab.ClusterFile}
		grantedWhatIsMissing(ctx, t, lab, "downstream-viewer", target, grant{"rbac", lab.Kubectl})
		accessWithoutAPIs(ctx, t, lab, target)
	})
	asOnRealMachines(ctx, t, lab, "p0")
	before := text(t, lab.ClusterFile)
	planned := plannedHash(ctx, t, lab)
	course := follow(ctx, t, lab)
	begun := time.Now()
	evidence, err := scenario.DemoOn(ctx, lab, testWriter{t}, nil)
	if err != nil {
		t.Fatal(err)
	}
	wroteAsSimulated(t, lab, begun, "rke")
	if hash := fmt.Sprintf("%x", sha256.Sum256([]byte(evidence.ClusterFile))); hash != planned {
		t.Errorf("cluster.yml is not what the plan showed:\n%s", evidence.ClusterFile)
	}
	if added, removed := changedLines(before, evidence.ClusterFile); added != 2 || removed != 1 {
		t.Errorf("%d lines added and %d removed, wanted 2 and 1", added, removed)
	}
	for _, controller := range evidence.Observation.Controllers {
		for _, gap := range controller.Gaps {
			if gap.After == nil || gap.Seconds > 60 {
				t.Errorf("%s ran nowhere for %.1f s", controller.Name, gap.Seconds)
			}
		}
	}
	asOnRealMachines(ctx, t, lab, "p5")
	wentAsOnRealMachines(t, lab, course)
	files := folder(t, lab)
	migratedIsLeftAlone(t, lab)
	if now := folder(t, lab); !slices.Equal(now, files) || text(t, lab.ClusterFile) != evidence.ClusterFile {
		t.Errorf("a run on a migrated cluster left %v, there were %v", now, files)
	}
}

// plannedHash returns the SHA-256 of cluster.yml after the last edit of a plan. The plan holds no
// other text of the file, which has secrets.
func plannedHash(ctx context.Context, t *testing.T, lab *scenario.Lab) string {
	t.Helper()
	code, stdout, stderr, err := lab.Awsmigrate(ctx, testWriter{t}, lab.Command("plan", "-o", "json")...)
	if err != nil || code != 0 {
		t.Fatalf("plan: exit %d, %v\n%s", code, err, stderr)
	}
	var plan struct {
		Steps []struct {
			Changes []struct{ Object, SHA256 string }
		}
	}
	if err := json.Unmarshal([]byte(stdout), &plan); err != nil {
		t.Fatal(err)
	}
	last := ""
	for _, step := range plan.Steps {
		for _, change := range step.Changes {
			if change.Object == "file "+lab.ClusterFile {
				last = change.SHA256
			}
		}
	}
	return last
}

func text(t *testing.T, path string) string {
	t.Helper()
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

// folder lists cluster.yml and the files next to it.
func folder(t *testing.T, lab *scenario.Lab) []string {
	t.Helper()
	found, err := filepath.Glob(lab.ClusterFile + "*")
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// changedLines counts lines that are in one text only.
func changedLines(before, after string) (added, removed int) {
	count := map[string]int{}
	for _, line := range strings.Split(before, "\n") {
		count[line]--
	}
	for _, line := range strings.Split(after, "\n") {
		count[line]++
	}
	for _, n := range count {
		added, removed = added+max(n, 0), removed+max(-n, 0)
	}
	return added, removed
}
