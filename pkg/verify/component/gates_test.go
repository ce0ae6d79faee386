package component

import "testing"

func TestOff_listGateVersion_pair(t *testing.T) {
	aws, lead := GateCSIMigrationAWS, GateLeaderMigration
	for _, c := range []struct{ list, gate, version, want string }{
		{"", aws, "v1.22.17", ""}, // off by default is not switched off
		{"CSIMigrationAWS=false", aws, "v1.24.17", "CSIMigrationAWS=false"},
		{"CSIMigrationAWS = False", aws, "v1.24.17", "CSIMigrationAWS=false"},
		{"CSIMigrationAWS=true", aws, "v1.24.17", ""},
		{"CSIMigrationAWSComplete=false", aws, "v1.24.17", ""},
		{"CSIMigration=false", aws, "v1.22.17", "CSIMigration=false"},
		{"CSIMigration=false", aws, "v1.24.17", "CSIMigration=false"},
		{"CSIMigration=false,CSIMigrationAWS=true", aws, "v1.24.17", "CSIMigration=false"}, // both are needed
		{"AllBeta=false", aws, "v1.22.17", "AllBeta=false"},
		{"AllBeta=false", aws, "v1.23.17", "AllBeta=false"},
		{"AllBeta=false", aws, "v1.24.17", "AllBeta=false"},
		{"AllBeta=false", aws, "v1.25.16", ""},
		{"AllBeta=false", aws, "v1.26.15", ""},
		{"AllBeta=true", aws, "v1.23.17", ""},
		{"AllBeta=false,CSIMigrationAWS=true", aws, "v1.23.17", "AllBeta=false"}, // takes CSIMigration with it
		{"CSIMigrationAWS=true,CSIMigration=true,AllBeta=false", aws, "v1.23.17", ""},
		{"AllAlpha=false", aws, "v1.23.17", ""},
		{"AllAlpha=false", lead, "v1.21.14", ""}, // before the table
		{"AllBeta=false", lead, "v1.22.17", "AllBeta=false"},
		{"AllBeta=false", lead, "v1.23.17", "AllBeta=false"},
		{"AllBeta=false,ControllerManagerLeaderMigration=true", lead, "v1.23.17", ""},
		{"ControllerManagerLeaderMigration=true,AllBeta=false", lead, "v1.23.17", ""},
		{"AllBeta=false", lead, "v1.24.17", ""},
		{"AllBeta=false", GateNoProviders, "v1.28.15", ""},
		{"AllBeta=false", GateNoProviders, "v1.29.10", "AllBeta=false"},
		{"AllBeta=false", GateNoKubeletCreds, "v1.30.6", "AllBeta=false"},
		{"AllBeta=false", GateNoKubeletCreds, "v1.31.2", ""},
		{"AllAlpha=false", GateNoKubeletCreds, "v1.22.17", ""}, // did not exist
		{"AllAlpha=false", GateNoKubeletCreds, "v1.23.17", "AllAlpha=false"},
		{"AllBeta=false", "NoSuchGate", "v1.23.17", ""},
	} {
		v, err := ParseVersion(c.version)
		if err != nil {
			t.Fatal(err)
		}
		if got := ParseGates(c.list).Off(c.gate, v); got != c.want {
			t.Errorf("%s with %q at %s: %q, want %q", c.gate, c.list, c.version, got, c.want)
		}
	}
}

func TestFatal_removedOrLockedGate_reported(t *testing.T) {
	for _, c := range []struct {
		list, gate, version string
		fatal               bool
	}{
		{"CSIMigration=false", GateCSIMigration, "v1.24.17", false},
		{"CSIMigration=false", GateCSIMigration, "v1.25.16", true},
		{"CSIMigration=true", GateCSIMigration, "v1.26.15", false},
		{"CSIMigration=true", GateCSIMigration, "v1.27.16", true},
		{"CSIMigrationAWS=false", GateCSIMigrationAWS, "v1.24.17", false},
		{"CSIMigrationAWS=false", GateCSIMigrationAWS, "v1.25.16", true},
		{"CSIMigrationAWS=true", GateCSIMigrationAWS, "v1.27.16", true},
		{"ControllerManagerLeaderMigration=false", GateLeaderMigration, "v1.23.17", false},
		{"ControllerManagerLeaderMigration=false", GateLeaderMigration, "v1.24.17", true},
		{"ControllerManagerLeaderMigration=true", GateLeaderMigration, "v1.26.15", false},
		{"ControllerManagerLeaderMigration=true", GateLeaderMigration, "v1.27.16", true},
		{"AllBeta=false", GateLeaderMigration, "v1.27.16", false},
		{"DisableCloudProviders=false", GateNoProviders, "v1.30.6", false},
		{"DisableCloudProviders=false", GateNoProviders, "v1.31.2", true},
		{"DisableCloudProviders=true", GateNoProviders, "v1.31.2", false},
	} {
		v, err := ParseVersion(c.version)
		if err != nil {
			t.Fatal(err)
		}
		if got := ParseGates(c.list).Fatal(c.gate, v); (got != "") != c.fatal {
			t.Errorf("%q at %s: %q", c.list, c.version, got)
		}
	}
}
