package release

import (
	"context"
	"errors"
	"fmt"
	"reflect"

	"helm.sh/helm/v3/pkg/action"
	"helm.sh/helm/v3/pkg/chart"
	"helm.sh/helm/v3/pkg/kube"
	"helm.sh/helm/v3/pkg/release"
	"helm.sh/helm/v3/pkg/storage"
	"helm.sh/helm/v3/pkg/storage/driver"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/rest"
	"k8s.io/utils/clock"

	"github.com/awsmigrate/awsmigrate/pkg/awsccm"
	"github.com/awsmigrate/awsmigrate/pkg/awsccm/ccmchart"
	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

// maxRevisions is the maximum number of release records, as in Helm's default.
const maxRevisions = 10

// Installer installs, upgrades and removes one chart as the release of our name. Its caller
// must hold the run's lock: our pending record then belongs to an interrupted run and is
// repaired.
//
// Every operation can be run again after a SIGKILL at any point.
type Installer struct {
	helm     *action.Configuration
	chart    *chart.Chart
	dynamic  dynamic.Interface
	metadata metadata.Interface
	clock    clock.PassiveClock
}

// NewInstaller returns an installer for a cluster.
func NewInstaller(config *rest.Config, ch *chart.Chart, clk clock.PassiveClock) (*Installer, error) {
	getter, err := newRESTGetter(config)
	if err != nil {
		return nil, fmt.Errorf("prepare Helm for %s: %w", fault.Server(config.Host), fault.Shown(err))
	}
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return nil, fmt.Errorf("prepare Helm for %s: %w", fault.Server(config.Host), fault.Shown(err))
	}
	dyn, err := dynamic.NewForConfig(config)
	if err != nil {
		return nil, fmt.Errorf("prepare Helm for %s: %w", fault.Server(config.Host), fault.Shown(err))
	}
	meta, err := metadata.NewForConfig(config)
	if err != nil {
		return nil, fmt.Errorf("prepare Helm for %s: %w", fault.Server(config.Host), fault.Shown(err))
	}
	kc := kube.New(getter)
	silent := func(string, ...any) {} // the journal has what Helm reports of its own steps
	kc.Log, kc.Namespace = silent, wellknown.System
	records := driver.NewSecrets(fence(client.CoreV1().Secrets(wellknown.System)))
	records.Log = silent
	store := storage.Init(records)
	store.Log = silent
	return &Installer{
		helm:  &action.Configuration{RESTClientGetter: getter, KubeClient: kc, Releases: store, Log: silent},
		chart: ch, dynamic: dyn, metadata: meta, clock: clk,
	}, nil
}

// InstallPlan is a computed installation that has not been made.
type InstallPlan struct {
	Operation Operation
	Repair    Repair
	// Release is the existing release, or nil. Apply returns an error if it has changed.
	Release *Release
	Changes []ccmchart.ObjectChange
	// Missing names objects of the release that were deleted.
	Missing []string

	values map[string]any
}

// Current returns the last revision of our release, or nil.
func (i *Installer) Current() (*Release, error) {
	last, err := i.helm.Releases.Last(wellknown.CCM)
	if errors.Is(err, driver.ErrReleaseNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, releaseError("read", err)
	}
	return releaseOf(last), nil
}

// PlanAfter computes what an installation with these values changes after one with others,
// regardless of the state of the cluster. It reads only the server's version.
func (i *Installer) PlanAfter(before, values map[string]any) (*InstallPlan, error) {
	version, err := i.kubernetesVersion()
	if err != nil {
		return nil, err
	}
	was, err := ccmchart.Render(i.chart, before, version)
	if err != nil {
		return nil, err
	}
	wanted, err := ccmchart.Render(i.chart, values, version)
	if err != nil {
		return nil, err
	}
	plan := &InstallPlan{Operation: OpUpgrade, values: values}
	plan.Changes, err = ccmchart.Diff(was, wanted)
	return plan, err
}

// Plan reads the cluster and computes what an installation with these values does. It writes
// nothing.
func (i *Installer) Plan(ctx context.Context, values map[string]any) (*InstallPlan, error) {
	version, err := i.kubernetesVersion()
	if err != nil {
		return nil, err
	}
	wanted, err := ccmchart.Render(i.chart, values, version)
	if err != nil {
		return nil, err
	}
	found, err := i.find(ctx, wanted)
	if err != nil {
		return nil, err
	}
	operation, repair, err := judgeFound(found)
	if err != nil {
		return nil, err
	}
	plan := &InstallPlan{Operation: operation, Repair: repair, Release: found.Release, values: values}
	if operation == OpInstall {
		plan.Changes, err = ccmchart.Diff(nil, wanted)
		return plan, err
	}
	before, err := ccmchart.ParseManifest(found.Release.Manifest)
	if err != nil {
		return nil, err
	}
	if plan.Changes, err = ccmchart.Diff(before, wanted); err != nil {
		return nil, err
	}
	exists := map[string]bool{}
	for _, o := range found.Objects {
		exists[o.Object] = true
	}
	for n := range wanted {
		if name := ccmchart.ObjectName(&wanted[n]); !exists[name] {
			plan.Missing = append(plan.Missing, name)
		}
	}
	asWanted := len(plan.Changes) == 0 && len(plan.Missing) == 0 && reflect.DeepEqual(found.Release.Values, roundTrip(values))
	if asWanted && repair == RepairNone && found.Release.Status == release.StatusDeployed {
		plan.Operation = OpNone
	}
	return plan, nil
}

// Apply makes the planned installation if the release has not changed. It does not wait for
// pods. It continues when ctx ends, because Helm must record an operation that it began.
func (i *Installer) Apply(ctx context.Context, plan *InstallPlan) (*Release, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	now, err := i.Current()
	if err != nil {
		return nil, err
	}
	if err := sameRelease(plan.Release, now); err != nil {
		return nil, err
	}
	if plan.Operation == OpNone {
		return now, nil
	}
	ctx = context.WithoutCancel(ctx)
	if err := i.repair(ctx, plan.Repair); err != nil {
		return nil, err
	}
	var made *release.Release
	if plan.Operation == OpInstall {
		install := action.NewInstall(i.helm)
		install.ReleaseName, install.Namespace = wellknown.CCM, wellknown.System
		install.Replace = plan.Release != nil
		made, err = install.RunWithContext(ctx, i.chart, plan.values)
	} else {
		upgrade := action.NewUpgrade(i.helm)
		upgrade.Namespace, upgrade.MaxHistory, upgrade.ResetValues = wellknown.System, maxRevisions, true
		made, err = upgrade.RunWithContext(ctx, wellknown.CCM, i.chart, plan.values)
	}
	if err != nil {
		return nil, releaseError(string(plan.Operation), err)
	}
	return releaseOf(made), nil
}

// repair repairs Helm's records.
func (i *Installer) repair(ctx context.Context, what Repair) error {
	switch what {
	case RepairMarkFailed:
		last, err := i.helm.Releases.Last(wellknown.CCM)
		if err != nil {
			return releaseError("read", err)
		}
		if !last.Info.Status.IsPending() {
			return nil
		}
		last.SetStatus(release.StatusFailed, "cut off; marked failed by awsmigrate")
		return releaseError("mark as failed", i.helm.Releases.Update(last))
	case RepairFinishUninstall:
		return releaseError("finish the uninstall of", i.uninstall(ctx))
	case RepairNone:
	}
	return nil
}

// kubernetesVersion returns the API server's version.
func (i *Installer) kubernetesVersion() (string, error) {
	client, err := i.helm.RESTClientGetter.ToDiscoveryClient()
	if err != nil {
		return "", err
	}
	v, err := client.ServerVersion()
	if err != nil {
		return "", fmt.Errorf("read the API server's version: %w", awsccm.CouldNotLook(err))
	}
	return v.GitVersion, nil
}

func sameRelease(planned, now *Release) error {
	if planned == nil && now == nil {
		return nil
	}
	if planned != nil && now != nil && planned.Revision == now.Revision && planned.Status == now.Status {
		return nil
	}
	return &fault.Error{
		Class: fault.Stale, Reason: "ReleaseMoved", Object: "Helm release " + wellknown.System + "/" + wellknown.CCM,
		Seen: "now " + now.String(), Wanted: planned.String() + ", as planned", Fix: "plan again",
	}
}

// String describes the release in a few words.
func (r *Release) String() string {
	if r == nil {
		return "none"
	}
	return fmt.Sprintf("revision %d, %s", r.Revision, r.Status)
}

func releaseError(verb string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s Helm release %s/%s: %w", verb, wellknown.System, wellknown.CCM, awsccm.CouldNotLook(err))
}
