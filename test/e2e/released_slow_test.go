//go:build slow

package e2e

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/awsmigrate/awsmigrate/pkg/apis/awsmigrate.io/v1alpha1"
	"github.com/awsmigrate/awsmigrate/pkg/fleet/status"
	"github.com/awsmigrate/awsmigrate/test/published"
	"github.com/awsmigrate/awsmigrate/test/scenario"
)

// mirror is the registry of a site without Internet access: it has the images that the release
// lists, and no others.
const mirror = "registry.test"

// TestReleasedController migrates a cluster on a site that only has the files of a release.
// Helm installs the packaged charts, with the mirror as the only registry. The pod is a
// container with the image's own root file system, as user 65534 without capabilities, and
// reaches the API server as a pod does. Its token is replaced during the migration, and the
// first one expires. The hook's Job refuses an uninstallation during a rollout, and allows it
// after the migration.
func TestReleasedController(t *testing.T) {
	if os.Getuid() != 0 {
		t.Fatal("a container with a user of its own needs root")
	}
	release, err := published.Make(within(t, 20*time.Minute), "../..", t.TempDir(), testWriter{t})
	must(t, err)
	image, folder := controllerImage(t, release), t.TempDir()
	must(t, release.Unpack(folder))
	lab := boot(t, "--pod-image", image+"="+folder, "--pod-token-lifetime", "10m", "--lease", quick, "--api-restart", "5s", "--workers", "1")
	ctx, start := within(t, 35*time.Minute), time.Now()
	before, err := lab.Identities(ctx)
	must(t, err)
	s := newSite(t, lab, release)
	s.install(ctx, t)
	pod := s.controller(ctx, t)
	token := s.token(t, pod)
	s.isContained(ctx, t, pod)

	must(t, lab.CreateMigration(ctx, fmt.Sprintf(`{"options":{"etcdSnapshot":"Disabled","ccm":{"image":%q}}}`, listedCCM(t, release, "v1.26."))))
	show(ctx, t, lab, nil, "the audit", func(m *v1alpha1.ClusterMigration) bool { return m.Status.Position != "" })
	// The first token ends in the middle of the migration, 10 minutes after it was given.
	waitFor(t, time.Until(pod.CreationTimestamp.Add(7*time.Minute)))
	approve(ctx, t, lab, nil, `{"spec":{"goal":"Migrate","edits":"Apply"}}`)
	show(ctx, t, lab, nil, "the roll", waitingIn("enable-leader-migration"))
	s.uninstallIsRefused(ctx, t)
	show(ctx, t, lab, nil, "the end of the migration", func(m *v1alpha1.ClusterMigration) bool {
		return scenario.InState(status.Succeeded)(m) && m.Status.Position == "P5"
	})

	judgeEnd(ctx, t, lab, before, start)
	if now := s.controller(ctx, t); now.UID != pod.UID || now.Status.ContainerStatuses[0].RestartCount != 0 {
		t.Errorf("another pod, or another process: %+v", now.Status)
	}
	if s.token(t, pod) == token {
		t.Error("the token was never replaced")
	}
	if err := s.tryToken(ctx, token); !apierrors.IsUnauthorized(err) {
		t.Errorf("the first token: %v, wanted it to have ended", err)
	}
	s.imagesAreListed(ctx, t)
	s.uninstalls(ctx, t)
}

// controllerImage returns the controller's image in the mirror, as the chart names it.
func controllerImage(t *testing.T, release published.Release) string {
	t.Helper()
	digest, err := release.Digest()
	must(t, err)
	listed, err := release.Images()
	must(t, err)
	for _, image := range listed {
		if strings.HasPrefix(image, "awsmigrate/") {
			return published.InMirror(mirror, image) + "@" + digest
		}
	}
	t.Fatalf("the list does not have the controller: %q", listed)
	return ""
}

// listedCCM returns the CCM of a Kubernetes version in the mirror.
func listedCCM(t *testing.T, release published.Release, version string) string {
	t.Helper()
	listed, err := release.Images()
	must(t, err)
	for _, image := range listed {
		if strings.Contains(image, "/cloud-controller-manager:"+version) {
			return published.InMirror(mirror, image)
		}
	}
	t.Fatalf("the list does not have a CCM of %s: %q", version, listed)
	return ""
}
