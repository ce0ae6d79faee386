package release

import (
	"strings"
	"testing"
	"time"

	"helm.sh/helm/v3/pkg/release"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

func TestJudgeFound(t *testing.T) {
	now := time.Date(2024, 5, 1, 12, 0, 0, 0, time.UTC)
	rel := func(status release.Status, ours bool, age time.Duration) *Release {
		return &Release{Namespace: wellknown.System, Name: wellknown.CCM, Revision: 3, Status: status, OurChart: ours, Updated: now.Add(-age)}
	}
	ourObject := FoundObject{Object: "DaemonSet kube-system/x", ReleaseName: wellknown.CCM, ReleaseNamespace: wellknown.System}
	for _, c := range []struct {
		name   string
		found  Found
		op     Operation
		repair Repair
		reason string
		fix    string
	}{
		{name: "nothing", op: OpInstall},
		{name: "deployed", found: Found{Release: rel(release.StatusDeployed, false, time.Hour), Objects: []FoundObject{ourObject}}, op: OpUpgrade},
		{name: "failed", found: Found{Release: rel(release.StatusFailed, true, time.Hour)}, op: OpUpgrade},
		{name: "superseded", found: Found{Release: rel(release.StatusSuperseded, true, time.Hour)}, op: OpUpgrade},
		{name: "our pending install", found: Found{Release: rel(release.StatusPendingInstall, true, time.Second)}, op: OpUpgrade, repair: RepairMarkFailed},
		{name: "our pending upgrade", found: Found{Release: rel(release.StatusPendingUpgrade, true, time.Second)}, op: OpUpgrade, repair: RepairMarkFailed},
		{name: "another's fresh pending", found: Found{Release: rel(release.StatusPendingRollback, false, time.Minute)}, reason: "HelmAtWork"},
		{name: "another's old pending", found: Found{Release: rel(release.StatusPendingInstall, false, time.Hour)}, op: OpUpgrade, repair: RepairMarkFailed},
		{name: "uninstalling", found: Found{Release: rel(release.StatusUninstalling, true, time.Hour)}, op: OpInstall, repair: RepairFinishUninstall},
		{name: "uninstalled, history kept", found: Found{Release: rel(release.StatusUninstalled, true, time.Hour)}, op: OpInstall},
		{name: "release elsewhere", found: Found{Elsewhere: []string{"default"}}, reason: "ReleaseElsewhere", fix: "helm -n default uninstall " + wellknown.CCM},
		{name: "release elsewhere and ours", found: Found{Release: rel(release.StatusDeployed, true, 0), Elsewhere: []string{"default"}}, reason: "ReleaseElsewhere"},
		{name: "HelmChart", found: Found{HelmChart: true, Release: rel(release.StatusDeployed, false, time.Hour)}, reason: "HelmChartFound", fix: "delete helmchart"},
		{name: "HelmChartConfig alone", found: Found{HelmChartConfig: true}, op: OpInstall},
		{
			name: "unowned objects", reason: "UnownedObjects", fix: "kubectl -n kube-system delete daemonsets a; kubectl delete clusterroles b",
			found: Found{Objects: []FoundObject{
				{Object: "DaemonSet kube-system/a", resource: schema.GroupVersionResource{Resource: "daemonsets"}, namespace: "kube-system", shortName: "a"},
				{Object: "ClusterRole b", resource: schema.GroupVersionResource{Resource: "clusterroles"}, shortName: "b"}, ourObject,
			}},
		},
		{
			name: "another release's object", reason: "OtherRelease", fix: "helm -n default uninstall mine",
			found: Found{Objects: []FoundObject{{Object: "ClusterRole b", ReleaseName: "mine", ReleaseNamespace: "default"}}},
		},
	} {
		c.found.Now = now
		op, repair, err := judgeFound(c.found)
		f, _ := fault.As(err)
		switch {
		case c.reason == "" && (err != nil || op != c.op || repair != c.repair):
			t.Errorf("%s: %s, %q, %v", c.name, op, repair, err)
		case c.reason != "" && (f == nil || f.Reason != c.reason || !strings.Contains(f.Fix, c.fix)):
			t.Errorf("%s: %v", c.name, err)
		}
	}
}
