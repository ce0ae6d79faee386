package config

import (
	"slices"
	"testing"
)

func TestUnsafeArgs(t *testing.T) {
	for _, c := range []struct {
		name, version, key, arg string
		want                    []Topic
	}{
		{"nothing", "v1.26.15+rke2r1", KeyManagerArg, "v=2", nil},
		{"no election", "v1.26.15+rke2r1", KeyManagerArg, "leader-elect=false", []Topic{LeaderElection}},
		{"election said to be on", "v1.26.15+rke2r1", KeyManagerArg, "leader-elect=true", nil},
		{"another namespace", "v1.26.15+rke2r1", KeyManagerArg, "leader-elect-resource-namespace=x", []Topic{LeaderElection}},
		{"timing", "v1.26.15+rke2r1", KeyManagerArg, "leader-elect-lease-duration=60s", []Topic{LeaderElectionTiming}},
		{"a file", "v1.26.15+rke2r1", KeyManagerArg, "leader-migration-config=/etc/x", []Topic{MigrationFile}},
		{"EBS migration off, 1.23", "v1.23.17+rke2r1", KeyKubeletArg, "feature-gates=A=true,CSIMigrationAWS=false", []Topic{MigrationOff, FatalGateNext}},
		{"EBS migration off, 1.25", "v1.25.16+rke2r1", KeyKubeletArg, "feature-gates=CSIMigrationAWS=false", []Topic{FatalGate, FatalGateNext}},
		{"EBS migration on, 1.26", "v1.26.15+rke2r1", keySchedulerArg, "feature-gates=CSIMigrationAWS=true", []Topic{FatalGateNext}},
		{"named at all, 1.27", "v1.27.16+rke2r1", KeyAPIServerArg, "feature-gates=ControllerManagerLeaderMigration=true", []Topic{FatalGate}},
		{"leader migration off, 1.23", "v1.23.17+rke2r1", KeyManagerArg, "feature-gates=ControllerManagerLeaderMigration=false", []Topic{MigrationOff, FatalGateNext}},
		{"leader migration off, 1.24", "v1.24.17+rke2r1", KeyManagerArg, "feature-gates=ControllerManagerLeaderMigration=false", []Topic{FatalGate, FatalGateNext}},
		{"EBS migration's umbrella off, 1.24", "v1.24.17+rke2r1", KeyKubeletArg, "feature-gates=CSIMigration=false", []Topic{MigrationOff, FatalGateNext}},
		{"EBS migration's umbrella off, 1.25", "v1.25.16+rke2r1", KeyKubeletArg, "feature-gates=CSIMigration=false", []Topic{FatalGate, FatalGateNext}},
		{"EBS migration's umbrella on, 1.27", "v1.27.16+rke2r1", KeyAPIServerArg, "feature-gates=CSIMigration=true", []Topic{FatalGate}},
		{"all beta gates off, 1.23", "v1.23.17+rke2r1", KeyManagerArg, "feature-gates=AllBeta=false", []Topic{MigrationOff}},
		{"all beta gates off, 1.24", "v1.24.17+rke2r1", KeyManagerArg, "feature-gates=AllBeta=false", []Topic{MigrationOff}},
		{"all beta gates off, 1.25", "v1.25.16+rke2r1", KeyManagerArg, "feature-gates=AllBeta=false", nil},
		{"all beta gates on, 1.23", "v1.23.17+rke2r1", KeyManagerArg, "feature-gates=AllBeta=true", nil},
		{"all alpha gates off, 1.23", "v1.23.17+rke2r1", KeyManagerArg, "feature-gates=AllAlpha=false", nil},
		{"all beta gates off, those that matter on, 1.24", "v1.24.17+rke2r1", KeyKubeletArg, "feature-gates=AllBeta=false,CSIMigration=true,CSIMigrationAWS=true", []Topic{FatalGateNext, FatalGateNext}},
		{"controllers", "v1.26.15+rke2r1", KeyManagerArg, "controllers=*,-route", []Topic{Controllers}},
		{"untagged", "v1.26.15+rke2r1", KeyManagerArg, "allow-untagged-cloud", []Topic{Untagged}},
		{"untagged, off", "v1.26.15+rke2r1", KeyManagerArg, "allow-untagged-cloud=false", nil},
		{"routes", "v1.26.15+rke2r1", KeyManagerArg, "configure-cloud-routes=false", []Topic{Routes}},
		{"pods' network", "v1.26.15+rke2r1", KeyManagerArg, "cluster-cidr=10.0.0.0/8", []Topic{Routes}},
		{"API server provider", "v1.26.15+rke2r1", KeyAPIServerArg, "cloud-provider=external", []Topic{ExplicitProvider}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := parse(t, map[string]any{"machineGlobalConfig": map[string]any{c.key: []any{c.arg}}})
			s.KubernetesVersion = c.version
			machines := []Machine{machine("cp-0", "c"), machine("cp-1", "ce"), machine("etcd-0", "e"), machine("w-0", "w")}
			found, err := UnsafeArgs(s, machines)
			if err != nil {
				t.Fatal(err)
			}
			var got []Topic
			for _, f := range found {
				got = append(got, f.Topic)
				want := []string{"cp-0", "cp-1"}
				if c.key == KeyKubeletArg {
					want = []string{"cp-0", "cp-1", "etcd-0", "w-0"}
				}
				if !slices.Equal(f.Machines, want) || f.Location != "machineGlobalConfig."+c.key || f.Why == "" {
					t.Errorf("finding %+v, want it for %v", f, want)
				}
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("found %v, want %v", got, c.want)
			}
		})
	}
	s := parse(t, map[string]any{})
	s.KubernetesVersion = "latest"
	if _, err := UnsafeArgs(s, nil); err == nil {
		t.Error("an unreadable version is no error")
	}
}

func TestDroppedSettings(t *testing.T) {
	s := parse(t, fromYAML(t, `{machineGlobalConfig: {kubelet-arg: {max-pods: 1}, disable-cloud-controller: null, kube-controller-manager-arg: [v=1]}}`))
	var got []string
	for _, f := range DroppedSettings(s, []Machine{machine("cp-0", "c"), machine("w-0", "w")}) {
		got = append(got, f.Location, f.Machines[len(f.Machines)-1])
	}
	want := []string{"machineGlobalConfig.disable-cloud-controller", "cp-0", "machineGlobalConfig.kubelet-arg", "w-0"}
	if !slices.Equal(got, want) {
		t.Errorf("dropped %q, want %q", got, want)
	}
}
