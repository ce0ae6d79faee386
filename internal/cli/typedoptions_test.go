package cli

import (
	"testing"

	"github.com/awsmigrate/awsmigrate/internal/cli/app"
	"github.com/awsmigrate/awsmigrate/internal/cli/target"
)

// The command after a plan carries out that plan: it has every option that affects the plan, and
// none that only affects its display.
func TestCarryOut(t *testing.T) {
	for name, tt := range map[string]struct {
		path []string
		args []string
		want string
	}{
		"the cluster alone":   {[]string{"rke2", "plan"}, nil, "awsmigrate rke2 --cluster demo"},
		"how it is shown":     {[]string{"rke2", "plan"}, []string{"--diff", "--detailed-exitcode", "-o", "text"}, "awsmigrate rke2 --cluster demo"},
		"what shapes it":      {[]string{"rke2", "plan"}, []string{"--no-etcd-snapshot", "--install-method", "additional-manifest"}, "awsmigrate rke2 --cluster demo --install-method=additional-manifest --no-etcd-snapshot"},
		"given several times": {[]string{"rke2", "plan"}, []string{"--skip", "AWSM-112=two zones", "--skip=AWSM-113=x", "--etcd-snapshot=false"}, "awsmigrate rke2 --cluster demo --etcd-snapshot=false '--skip=AWSM-112=two zones' --skip=AWSM-113=x"},
		"an argument of rke":  {[]string{"rke", "plan"}, []string{"--rke-arg=--ssh-agent-auth", "--offline"}, "awsmigrate rke --cluster demo --rke-arg=--ssh-agent-auth"},
		"a dry run":           {[]string{"rke2"}, []string{"--dry-run", "--until", "verify"}, "awsmigrate rke2 --cluster demo --until=verify"},
		"of an undo":          {[]string{"rke2", "undo"}, []string{"--dry-run", "--end-state", "external"}, "awsmigrate rke2 undo --cluster demo --end-state=external"},
	} {
		cmd, _, err := newRoot(&app.App{}).Find(tt.path)
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.ParseFlags(tt.args); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		words := target.Words{Command: tt.path[0], Undoing: tt.path[len(tt.path)-1] == "undo", Args: []string{"--cluster", "demo"}}
		if got := words.With(typedOptions(cmd)).Run(); got != tt.want {
			t.Errorf("%s:\ngot  %s\nwant %s", name, got, tt.want)
		}
	}
}
