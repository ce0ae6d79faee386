package target

import (
	"testing"

	"github.com/spf13/pflag"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
)

// parsed are the flags of a run as typed.
func parsed(t *testing.T, args ...string) *migrationFlags {
	t.Helper()
	flags := pflag.NewFlagSet("rke2", pflag.ContinueOnError)
	m := &migrationFlags{}
	m.registerChecks(flags)
	m.registerForward(flags)
	if err := flags.Parse(args); err != nil {
		t.Fatal(err)
	}
	return m
}

// Where another tool owns the Cluster, disable-leader-migration is left out
// until somebody types --keep-leader-migration=false.
func TestDisableIsAskedForByTypingIt(t *testing.T) {
	for _, tt := range []struct {
		args        []string
		keep, asked bool
	}{
		{nil, false, false},
		{[]string{"--keep-leader-migration"}, true, false},
		{[]string{"--keep-leader-migration=false"}, false, true},
	} {
		flags := parsed(t, tt.args...)
		options, err := flags.options()
		if err != nil || options.KeepLeaderMigration != tt.keep || options.DisableAsked != tt.asked {
			t.Errorf("%v: keep %t, asked %t, %v", tt.args, options.KeepLeaderMigration, options.DisableAsked, err)
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
		flags := parsed(t, tt.args...)
		options, err := flags.options()
		if (err == nil) != tt.ok || (err != nil && fault.ClassOf(err) != fault.Usage) {
			t.Errorf("%v: %v", tt.args, err)
		}
		if tt.ok && (options.ExternalID != flags.externalID || options.SessionName != flags.sessionName) {
			t.Errorf("%v: %+v", tt.args, options)
		}
	}
}
