package cli

import (
	"testing"

	"github.com/spf13/pflag"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
)

func TestDurationsThatWouldBecomeDefaultsAreRefused(t *testing.T) {
	for _, tt := range []struct {
		args []string
		ok   bool
	}{
		{nil, true},
		{[]string{"--timeout", "1s", "--deadline", "2h"}, true},
		{[]string{"--timeout", "0"}, false},
		{[]string{"--timeout", "-1s"}, false},
		{[]string{"--deadline", "-1s"}, false},
		{[]string{"--on-failure", "stop"}, true},
		{[]string{"--on-failure", "undo"}, true},
		{[]string{"--on-failure", "retry"}, false},
	} {
		engine, flags := &engineFlags{}, pflag.NewFlagSet("rke2", pflag.ContinueOnError)
		engine.register(flags)
		engine.registerForward(flags)
		if err := flags.Parse(tt.args); err != nil {
			t.Fatal(err)
		}
		err := engine.check()
		if (err == nil) != tt.ok || (err != nil && fault.ClassOf(err) != fault.Usage) {
			t.Errorf("%v: %v", tt.args, err)
		}
	}
}
