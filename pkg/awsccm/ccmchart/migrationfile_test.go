package ccmchart

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

func TestMigrationFile_bothFamilies_named(t *testing.T) {
	text := MigrationFile()
	for _, want := range []string{
		"apiVersion: controllermanager.config.k8s.io/v1\n", "leaderName: " + wellknown.MigrationLease,
		"name: service\n", "name: service-lb-controller\n", "name: route\n", "name: node-route-controller\n",
		"name: cloud-node-lifecycle\n", "name: cloud-node-lifecycle-controller\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q", want)
		}
	}
	if strings.Count(text, `component: "*"`) != 6 || strings.Count(text, "component:") != 6 {
		t.Error("a component is not the quoted star")
	}
	// A record concludes from this digest that a pod runs the three under the migration lease.
	if sum := fmt.Sprintf("%x", sha256.Sum256([]byte(text))); sum != wellknown.MigrationFileDigest {
		t.Errorf("its digest is %s", sum)
	}
	// It is no field of v1, and a component from 1.32 on does not start with an unknown field.
	if strings.Contains(text, "resourceLock") {
		t.Error("resourceLock is not a field of v1")
	}
	if strings.Contains(text, "nodeipam") {
		t.Error("nodeipam would stop with the hand-over")
	}
}

// The chart must render the annotation that a record reads.
func TestRender_migrationFile_digestOnPods(t *testing.T) {
	objects, err := os.ReadFile(filepath.Join("testdata", "golden", "rke2-migrating.objects.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{wellknown.MigrationFileNote + ": " + wellknown.MigrationFileDigest + "\n", "--leader-migration-config=" + wellknown.MigrationFilePath + "\n"} {
		if !strings.Contains(string(objects), want) {
			t.Errorf("no %q", want)
		}
	}
}
