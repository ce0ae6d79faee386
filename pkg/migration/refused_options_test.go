package migration_test

import (
	"strings"
	"testing"

	"github.com/awsmigrate/awsmigrate/internal/testing/clustertest"
	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
)

// An invalid choice is refused with the name of its flag.
func TestValidate_options_invalidRefused(t *testing.T) {
	for name, tt := range map[string]struct {
		change func(*migration.Options)
		object string // empty if the options are valid
		seen   string
	}{
		"the defaults":       {func(*migration.Options) {}, "", ""},
		"by a document":      {func(o *migration.Options) { o.InstallMethod = migration.InstallManifest }, "", ""},
		"another method":     {func(o *migration.Options) { o.InstallMethod = "kubectl" }, "flag --install-method", "kubectl"},
		"routes on":          {func(o *migration.Options) { o.CloudRoutes = "on" }, "", ""},
		"routes odd":         {func(o *migration.Options) { o.CloudRoutes = "maybe" }, "flag --cloud-routes", "maybe"},
		"AWS off":            {func(o *migration.Options) { o.AWS = "off" }, "", ""},
		"AWS odd":            {func(o *migration.Options) { o.AWS = "" }, "flag --aws", `""`},
		"a skip with reason": {func(o *migration.Options) { o.Skip = map[string]string{"AWSM-1": "known"} }, "", ""},
		"one without":        {func(o *migration.Options) { o.Skip = map[string]string{"AWSM-2": "known", "AWSM-3": " ", "AWSM-1": ""} }, "flag --skip", "AWSM-1 without"},
		"handed over":        {func(o *migration.Options) { o.HandOver = true }, "", ""},
		"with a document":    {func(o *migration.Options) { o.HandOver, o.InstallMethod = true, migration.InstallManifest }, "flags --edits, --install-method", "an edit too"},
		"with an upgrade":    {func(o *migration.Options) { o.HandOver, o.KubernetesVersion = true, "v1.27.10+rke2r1" }, "flags --edits, --kubernetes-version", "no way back"},
	} {
		o := migration.Options{InstallMethod: migration.InstallHelm, AWS: "auto"}
		tt.change(&o)
		err := o.Validate()
		if f, ok := fault.As(err); ok != (tt.object != "") || ok && (f.Object != tt.object || f.Class != fault.Usage || !strings.Contains(f.Seen, tt.seen)) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// The verdict that stops a rollout is final and has the progress of the reading.
func TestVerdict_stopped_final(t *testing.T) {
	r := &migration.RolloutJudgement{Progress: "half", Evidence: []string{"all"}}
	if r.Stopped() || r.Verdict().Kind != runner.Met {
		t.Errorf("%+v", r.Verdict())
	}
	r.Wait("b")
	if r.Stopped() || r.Verdict().Kind != runner.Waiting {
		t.Errorf("%+v", r.Verdict())
	}
	r.Stop(migration.Failed(clustertest.ErrAway))
	if got := r.Verdict(); !r.Stopped() || got.Kind != runner.Failed || got.Progress != "half" {
		t.Errorf("%+v", got)
	}
}

// The first condition that a person must fix gives the fix. Without one, the fix is to wait.
func TestRequireSettled_pending_fix(t *testing.T) {
	for fix, pending := range map[string][]migration.PendingCondition{
		"wait until nothing changes, or fix the named objects, then run again": {{Object: "a", Seen: "moves"}},
		"put it back; then run the same command again":                         {{Object: "a", Seen: "moves"}, {Object: "b", Fix: "put it back"}, {Object: "c", Fix: "another"}},
	} {
		if f, ok := fault.As((migration.Reading{Pending: pending}).RequireSettled()); !ok || f.Fix != fix || !f.Transient {
			t.Errorf("%+v", f)
		}
	}
}
