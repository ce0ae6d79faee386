package target

import (
	"strings"
	"testing"

	"github.com/spf13/pflag"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/options"
)

// parsed returns the flags of a run as typed.
func parsed(t *testing.T, args ...string) *pflag.FlagSet {
	t.Helper()
	flags := pflag.NewFlagSet("rke2", pflag.ContinueOnError)
	Define(flags, options.RKE2)
	if err := flags.Parse(args); err != nil {
		t.Fatal(err)
	}
	return flags
}

// If another tool owns the Cluster, disable-leader-migration is skipped unless
// --keep-leader-migration=false is typed.
func TestDisableIsAskedForByTypingIt(t *testing.T) {
	for _, tt := range []struct {
		args        []string
		keep, asked bool
	}{
		{nil, false, false},
		{[]string{"--keep-leader-migration"}, true, false},
		{[]string{"--keep-leader-migration=false"}, false, true},
	} {
		got, err := readChoices(parsed(t, tt.args...), options.RKE2)
		if err != nil || got.KeepLeaderMigration != tt.keep || got.DisableAsked != tt.asked {
			t.Errorf("%v: keep %t, asked %t, %v", tt.args, got.KeepLeaderMigration, got.DisableAsked, err)
		}
	}
}

func TestRolesThatSTSWouldRefuse(t *testing.T) {
	role := []string{"--assume-role", "arn:aws:iam::2:role/audit"}
	for _, tt := range []struct {
		args []string
		ok   bool
	}{
		{role, true},
		{append(role, "--external-id", "ticket:42/a", "--role-session-name", "night@audit"), true},
		{[]string{"--external-id", "ticket"}, false},
		{[]string{"--role-session-name", "night"}, false},
		{append(role, "--external-id", "a b"), false},
		{append(role, "--role-session-name", "a"), false},
		{append(role, "--role-session-name", "night audit"), false},
	} {
		got, err := readChoices(parsed(t, tt.args...), options.RKE2)
		if (err == nil) != tt.ok || (err != nil && fault.ClassOf(err) != fault.Usage) {
			t.Errorf("%v: %v", tt.args, err)
		}
		if secret := "a b"; err != nil && strings.Contains(err.Error(), secret) {
			t.Errorf("%v: %v", tt.args, err)
		}
		if len(tt.args) == 6 && (got.ExternalID != tt.args[3] || got.SessionName != tt.args[5]) {
			t.Errorf("%v: %+v", tt.args, got)
		}
	}
}

// A snapshot is an edit as well: if another tool makes the edits, it is taken only on request.
func TestSnapshotUnderHandoff(t *testing.T) {
	for args, want := range map[string]bool{
		"": true, "--etcd-snapshot=false": false, "--no-etcd-snapshot": false,
		"--edits handoff": false, "--edits handoff --etcd-snapshot": true, "--edits apply": true,
	} {
		got, err := readChoices(parsed(t, strings.Fields(args)...), options.RKE2)
		if err != nil || got.Snapshot != want || got.HandOver != strings.Contains(args, "handoff") {
			t.Errorf("%q: snapshot %t, %v", args, got.Snapshot, err)
		}
	}
	if _, err := readChoices(parsed(t, "--etcd-snapshot", "--no-etcd-snapshot"), options.RKE2); fault.ClassOf(err) != fault.Usage {
		t.Errorf("both: %v", err)
	}
}
