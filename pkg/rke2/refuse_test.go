package rke2

import (
	"strings"
	"testing"

	"github.com/awsmigrate/awsmigrate/internal/testing/clustertest"
	"github.com/awsmigrate/awsmigrate/internal/testing/rancherfixture"
	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/migration/procedure"
	"github.com/awsmigrate/awsmigrate/pkg/rke2/config"
	"github.com/awsmigrate/awsmigrate/pkg/rke2/rancher"
	"github.com/awsmigrate/awsmigrate/pkg/verify"
	"github.com/awsmigrate/awsmigrate/pkg/verify/downstream"
	"github.com/awsmigrate/awsmigrate/pkg/verify/position"
	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

// factsWith returns the facts of a cluster with these versions, provider and OS.
func factsWith(version, server, provider, os string) rancher.Facts {
	v := rancherfixture.Resting()
	v.Cluster.Spec.KubernetesVersion = version
	v.Cluster.Spec.Global = map[string]any{config.KeyProvider: provider}
	v.Rancher = verify.Got(server)
	v.Machines = []rancher.Machine{{Machine: config.Machine{Name: "m", UID: "1", Labels: map[string]string{
		config.LabelWorker: "true", "cattle.io/os": os}}}}
	return v
}

// withoutData returns f as Rancher reports it without release data.
func withoutData(f rancher.Facts) rancher.Facts {
	f.ControlPlane.Conditions["Ready"] = rancher.Condition{Status: "Unknown", Message: "fleet-default/demo: KDM release data is empty for v1.26.13+rke2r1"}
	return f
}

func TestRefusedBeforeALockIsTaken(t *testing.T) {
	const version, server = "v1.26.13+rke2r1", "v2.8.5"
	tests := []struct {
		name  string
		facts rancher.Facts
		at    position.Result
		o     Options
		class fault.Class
		says  string
	}{
		{"fits", factsWith(version, server, "aws", "linux"), clustertest.ResultAt(position.P0), Options{}, 0, ""},
		{"too new", factsWith("v1.27.10+rke2r1", server, "aws", "linux"), clustertest.ResultAt(position.P0), Options{}, fault.Check, "AWSM-101"},
		{"Rancher does not support it", factsWith(version, "v2.9.3", "aws", "linux"), clustertest.ResultAt(position.P0), Options{}, 0, ""},
		{"Rancher has no release data", withoutData(factsWith(version, "v2.9.3", "aws", "linux")), clustertest.ResultAt(position.P0), Options{}, fault.Check, "AWSM-102"},
		{"no provider", factsWith(version, server, "", "linux"), clustertest.ResultAt(position.P0), Options{}, fault.Check, "AWSM-103"},
		{"another provider", factsWith(version, server, "vsphere", "linux"), clustertest.ResultAt(position.P0), Options{}, fault.Check, "Machine m"},
		{"a release that freezes arguments", factsWith("v1.26.5+rke2r1", server, "aws", "linux"), clustertest.ResultAt(position.P0), Options{}, fault.Check, "AWSM-120"},
		{"Windows", factsWith(version, server, "aws", "windows"), clustertest.ResultAt(position.P0), Options{}, fault.Check, "Windows"},
		{"once begun, preflight judges", withoutData(factsWith(version, "v2.9.3", "aws", "linux")), clustertest.ResultAt(position.P1), Options{}, 0, ""},
		{"no such check", factsWith(version, server, "aws", "linux"), clustertest.ResultAt(position.P3), Options{Options: migration.Options{Skip: map[string]string{"AWSM-999": "why"}}}, fault.Usage, "AWSM-999"},
		{"a check of another package", factsWith(version, server, "aws", "linux"), clustertest.ResultAt(position.P0), Options{Options: migration.Options{Skip: map[string]string{"AWSM-303": "why"}}}, 0, ""},
		{"not skippable", factsWith(version, server, "aws", "linux"), clustertest.ResultAt(position.P0), Options{Options: migration.Options{Skip: map[string]string{"AWSM-105": "why"}}}, fault.Usage, "cannot be skipped"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := &Backend{options: tt.o}
			snap := migration.Snapshot{Config: observed{Facts: tt.facts}, Result: tt.at}
			m := &procedure.Migration{Backend: p, Access: migration.Access{Options: tt.o.Options, Distribution: wellknown.RKE2}}
			snap.Reading = snap.Config.Combine(downstream.Cluster{})
			_, err := m.Steps()[0].Plan(t.Context(), snap)
			if tt.says == "" {
				if err != nil {
					t.Fatal(err)
				}
				return
			}
			if err == nil || fault.ClassOf(err) != tt.class || !strings.Contains(err.Error(), tt.says) {
				t.Errorf("%v; wanted class %d and %q", err, tt.class, tt.says)
			}
		})
	}
}
