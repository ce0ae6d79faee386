package rancher

import (
	"strings"
	"testing"

	"github.com/awsmigrate/awsmigrate/internal/cli/view"
	"github.com/awsmigrate/awsmigrate/internal/inventory"
)

// An empty list may be so because of --namespace.
func TestNoteNamespace(t *testing.T) {
	if got := noteNamespace("default", nil); !strings.Contains(got, "only namespace default was read") || noteNamespace("", nil) != "" || noteNamespace("default", []inventory.Row{{}}) != "" {
		t.Errorf("%q", got)
	}
}

func TestCheckListed(t *testing.T) {
	unread := inventory.Fleet{Unread: []inventory.Stop{{Object: "ClusterMigrations", Seen: "may not be read", CouldNotLook: true}}}
	if got := view.ExitCode(checkListed(unread)); got != 10 {
		t.Errorf("exit %d", got)
	}
	if err := checkListed(inventory.Fleet{Rows: []inventory.Row{{State: inventory.Stopped}}}); err != nil {
		t.Errorf("a cluster that was seen: %v", err)
	}
}
