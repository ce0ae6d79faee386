//go:build slow

package e2e

import (
	"context"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/awsmigrate/awsmigrate/test/scenario"
)

// TestRKEManaged migrates an RKE cluster that Rancher manages, with the empty awsCloudProvider
// that its UI leaves, end to end and through its proxy.
func TestRKEManaged(t *testing.T) {
	lab := boot(t, "--distro", "rke1", "--aws-block", "--lease", quick)
	ctx := within(t, 20*time.Minute)
	refusedManaged(ctx, t, lab)
	before, err := lab.ManagedSpec(ctx)
	if err != nil {
		t.Fatal(err)
	}
	evidence, err := scenario.DemoOn(ctx, lab, testWriter{t}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, controller := range evidence.Observation.Controllers {
		for _, gap := range controller.Gaps {
			if gap.After == nil || gap.Seconds > 60 {
				t.Errorf("%s ran nowhere for %.1f s", controller.Name, gap.Seconds)
			}
		}
	}
	after, err := lab.ManagedSpec(ctx)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]any{"name": "external-aws", "useInstanceMetadataHostname": true}
	if !reflect.DeepEqual(after["cloudProvider"], want) {
		t.Errorf("cloudProvider is %v, wanted %v", after["cloudProvider"], want)
	}
	delete(before, "cloudProvider")
	delete(after, "cloudProvider")
	if !reflect.DeepEqual(before, after) {
		t.Errorf("the rest of the configuration changed:\n%v\n%v", before, after)
	}
	migratedIsLeftAlone(t, lab)
}

// TestRKEManagedKilledInEveryStep kills awsmigrate once in each step. Rancher continues with
// the edit, and the next run watches it.
func TestRKEManagedKilledInEveryStep(t *testing.T) {
	killInEveryStep(t, boot(t, "--distro", "rke1", "--lease", quick, "--component-restart", "10s"), rkeSteps)
}

// refusedManaged checks the refusal of names that match several clusters, no cluster, or a
// cluster that awsmigrate does not support.
func refusedManaged(ctx context.Context, t *testing.T, lab *scenario.Lab) {
	t.Helper()
	for id, names := range map[string][2]string{"c-aaaaa": {"twin", "rancherKubernetesEngine"}, "c-bbbbb": {"twin", "rancherKubernetesEngine"}, "c-ccccc": {"elsewhere", "imported"}} {
		if err := lab.AddManagedCluster(ctx, id, names[0], names[1]); err != nil {
			t.Fatal(err)
		}
	}
	for name, want := range map[string]struct {
		code int
		says string
	}{
		"twin":      {2, "c-aaaaa (twin), c-bbbbb (twin)"},
		"unknown":   {2, "c-7kq2x (demo)"},
		"elsewhere": {3, "imported"},
	} {
		code, stdout, stderr, err := lab.Awsmigrate(ctx, testWriter{t}, "rke", "plan", "--cluster", name)
		if err != nil || code != want.code || !strings.Contains(stdout+stderr, want.says) {
			t.Errorf("plan --cluster %s: exit %d, %v, wanted %d and %q\n%s%s", name, code, err, want.code, want.says, stdout, stderr)
		}
	}
	if code, stdout, stderr, err := lab.Awsmigrate(ctx, testWriter{t}, "plan", "--cluster", "c-7kq2x"); err != nil || code != 0 || !strings.Contains(stdout, "awsmigrate rke --cluster c-7kq2x") {
		t.Errorf("plan --cluster c-7kq2x finds no RKE cluster: exit %d, %v\n%s%s", code, err, stdout, stderr)
	}
	if code, _, _, err := lab.Awsmigrate(ctx, testWriter{t}, "rke", "plan", "--cluster", "demo", "--config", "cluster.yml"); err != nil || code != 2 {
		t.Errorf("--cluster and --config: exit %d, %v, wanted 2", code, err)
	}
}
