package rke

import (
	"path/filepath"
	"slices"
	"testing"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/migration"
)

// Some options are only valid for users that run rke.
func TestOptionsValidate(t *testing.T) {
	for name, tt := range map[string]struct {
		change func(*Options)
		object string
	}{
		"a file":                     {func(*Options) {}, ""},
		"neither":                    {func(o *Options) { o.Config = "" }, "flags --config, --cluster"},
		"both":                       {func(o *Options) { o.Cluster = "demo" }, "flags --config, --cluster"},
		"a cluster":                  {func(o *Options) { o.Config, o.Cluster = "", "demo" }, ""},
		"a cluster, and a binary":    {func(o *Options) { o.Config, o.Cluster, o.RKEBinary = "", "demo", "rke" }, "flags --cluster, --rke-binary"},
		"a cluster, and arguments":   {func(o *Options) { o.Config, o.Cluster, o.RKEArgs = "", "demo", []string{"-d"} }, "flags --cluster, --rke-arg"},
		"a cluster, and no rke up":   {func(o *Options) { o.Config, o.Cluster, o.NoRKEUp = "", "demo", true }, "flags --cluster, --no-rke-up"},
		"a cluster, and what pends":  {func(o *Options) { o.Config, o.Cluster, o.IncludePending = "", "demo", true }, "flags --cluster, --include-pending"},
		"a cluster, and a snapshot":  {func(o *Options) { o.Config, o.Cluster, o.Snapshot = "", "demo", true }, "flags --cluster, --etcd-snapshot"},
		"workers alone":              {func(o *Options) { o.RKEArgs = []string{"-d", "--update-only"} }, "flag --rke-arg"},
		"edits of another tool":      {func(o *Options) { o.HandOver = true }, "flag --edits"},
		"what all migrations refuse": {func(o *Options) { o.AWS = "odd" }, "flag --aws"},
		"a file, and all that it has": {func(o *Options) {
			o.RKEBinary, o.RKEArgs, o.NoRKEUp, o.IncludePending, o.Snapshot = "rke", []string{"-d"}, true, true, true
		}, ""},
	} {
		o := Options{Config: filepath.Join("a", "cluster.yml"), Options: migration.Options{InstallMethod: migration.InstallHelm, AWS: "auto"}}
		tt.change(&o)
		if f, ok := fault.As(o.Validate()); ok != (tt.object != "") || ok && f.Object != tt.object {
			t.Errorf("%s: %+v", name, f)
		}
	}
}

func TestTargets(t *testing.T) {
	for version, want := range map[string][]string{"": nil, "v1.27.16-rancher1-1": {"v1.27.16-rancher1-1"}} {
		if got := (Options{Options: migration.Options{KubernetesVersion: version}}).targets(); !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", version, got, want)
		}
	}
}
