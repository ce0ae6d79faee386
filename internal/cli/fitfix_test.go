package cli

import (
	"strings"
	"testing"

	"github.com/awsmigrate/awsmigrate/internal/cli/app"
	"github.com/awsmigrate/awsmigrate/internal/cli/usage"
)

// No fix names a flag that the command does not have. Flags of other programs are theirs.
func TestFitFix_flagOfAnotherCommand_dropped(t *testing.T) {
	const away = "run the same command again once the API answers with the same kubeconfig: kubectl get --raw /readyz"
	const other = "if only the connection through Rancher is down, name another kubeconfig with --downstream-kubeconfig"
	for path, fixes := range map[string]map[string]string{
		"list":               {away + "; " + other: away, other: "", "name one with --kubeconfig, or in $KUBECONFIG; to plan from cluster.yml alone, give --offline": "name one with --kubeconfig, or in $KUBECONFIG"},
		"plan":               {away + "; " + other: away + "; " + other, "add --yes": ""},
		"verify":             {"remove the gate from --feature-gates": "remove the gate from --feature-gates"},
		"rke2":               {"add --yes": "add --yes", "awsmigrate rke --config cluster.yml": "awsmigrate rke --config cluster.yml"},
		"controller rolling": {"wait until it is at rest; helm's --no-hooks goes past this question": "wait until it is at rest; helm's --no-hooks goes past this question"},
	} {
		root := newRoot(&app.App{})
		cmd, _, err := root.Find(strings.Fields(path))
		if err != nil {
			t.Fatal(err)
		}
		for fix, want := range fixes {
			if got := usage.FitFix(cmd, fix); got != want {
				t.Errorf("%s: %q, want %q", path, got, want)
			}
		}
	}
}
