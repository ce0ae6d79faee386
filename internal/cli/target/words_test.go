package target

import (
	"testing"

	"github.com/spf13/pflag"

	"github.com/awsmigrate/awsmigrate/pkg/options"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
)

func TestNextCommandsNameTheTarget(t *testing.T) {
	words := reach{Cluster: "demo", Namespace: "c-1", Kubeconfig: "/home/a b/config", Context: "it's"}.rke2Words()
	if got, want := words.Status(), `awsmigrate rke2 status --cluster demo --namespace c-1 --kubeconfig '/home/a b/config' --context 'it'\''s'`; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestReportNamesTheRun(t *testing.T) {
	words := Words{Command: "rke", Args: []string{"--config", "my cluster.yml"}}
	if got := words.Report("r1"); got != "awsmigrate report --config 'my cluster.yml' --run r1" {
		t.Error(got)
	}
}

// A next command begins with the words that the user typed to start the program.
func TestWordsBeginAsTyped(t *testing.T) {
	words := Words{Command: "rke2", Args: []string{"--cluster", "demo"}}
	if got := words.by(Program{"kubectl", "awsmigrate"}).Undo(); got != "kubectl awsmigrate rke2 undo --cluster demo" {
		t.Errorf("as a plugin: %s", got)
	}
	if got := words.Run(); got != "awsmigrate rke2 --cluster demo" {
		t.Errorf("as a program: %s", got)
	}
}

// typedRKE2 returns the words of a command line for RKE2.
func typedRKE2(t *testing.T, args ...string) Words {
	t.Helper()
	f, flags := &RKE2{}, pflag.NewFlagSet("rke2", pflag.ContinueOnError)
	f.Register(flags)
	Define(flags, options.Run)
	if err := flags.Parse(args); err != nil {
		t.Fatal(err)
	}
	asked, err := f.Asked(Output{})
	if err != nil {
		t.Fatal(err)
	}
	return asked.Words
}

// Every command has the options that shape the migration and that it takes, and none of one run.
func TestWords_optionsTyped_everyCommandHasThoseItTakes(t *testing.T) {
	words := typedRKE2(t, "--cluster", "demo", "--yes", "--until", "verify", "--keep-leader-migration", "--ccm-image", "registry.example/ccm:v1", "--hand-over=natural", "--request-timeout", "9s")
	for got, want := range map[string]string{
		words.Run():         "awsmigrate rke2 --cluster demo --ccm-image=registry.example/ccm:v1 --hand-over=natural --keep-leader-migration --request-timeout=9s",
		words.Plan():        "awsmigrate rke2 plan --cluster demo --ccm-image=registry.example/ccm:v1 --hand-over=natural --keep-leader-migration --request-timeout=9s",
		words.Status():      "awsmigrate rke2 status --cluster demo --ccm-image=registry.example/ccm:v1 --hand-over=natural --keep-leader-migration --request-timeout=9s",
		words.Undo():        "awsmigrate rke2 undo --cluster demo --ccm-image=registry.example/ccm:v1 --hand-over=natural --request-timeout=9s",
		words.Report("r-1"): "awsmigrate report --cluster demo --request-timeout=9s --run r-1",
	} {
		if got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
}

func TestWordsResuming_journalOfARun_repeatsItsOptions(t *testing.T) {
	const run = "awsmigrate rke2 --cluster demo --yes --edits apply --until verify --ccm-image 'registry.example/a b' --no-etcd-snapshot --chart ./chart --kubeconfig /other -v"
	for name, tt := range map[string]struct {
		typed []string
		runs  []journal.Run
		undo  bool
		want  string
	}{
		"a run":                {nil, []journal.Run{{Command: run}}, false, "awsmigrate rke2 --cluster demo '--ccm-image=registry.example/a b' --chart=./chart --edits=apply --no-etcd-snapshot"},
		"a guard after it":     {nil, []journal.Run{{Command: "awsmigrate rke2 --cluster demo --edits=apply"}, {Command: "awsmigrate controller", Guard: true}}, false, "awsmigrate rke2 --cluster demo --edits=apply"},
		"typed here":           {[]string{"--ccm-image=mine", "--etcd-snapshot"}, []journal.Run{{Command: run}}, false, "awsmigrate rke2 --cluster demo --ccm-image=mine --etcd-snapshot --chart=./chart --edits=apply"},
		"an undo that goes on": {nil, []journal.Run{{Command: "kubectl awsmigrate rke2 undo --cluster demo --edits=apply --yes"}}, true, "awsmigrate rke2 undo --cluster demo --edits=apply"},
		"a finished undo":      {nil, []journal.Run{{Command: run}, {Command: "awsmigrate rke2 undo --cluster demo --edits=apply"}}, false, "awsmigrate rke2 --cluster demo"},
		"a controller":         {nil, []journal.Run{{Command: "awsmigrate controller --mode migrate"}}, false, "awsmigrate rke2 --cluster demo"},
		"no command line":      {nil, []journal.Run{{Command: "awsmigrate rke2 --edits apply; rm -rf /"}}, false, "awsmigrate rke2 --cluster demo"},
		"nothing":              {nil, nil, false, "awsmigrate rke2 --cluster demo"},
	} {
		words := typedRKE2(t, append([]string{"--cluster", "demo"}, tt.typed...)...)
		words.Undoing = tt.undo
		if got := words.Resuming(tt.runs).Run(); got != tt.want {
			t.Errorf("%s:\ngot  %s\nwant %s", name, got, tt.want)
		}
	}
}
