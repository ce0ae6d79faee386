package cli

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/awsmigrate/awsmigrate/internal/cli/console"
	"github.com/awsmigrate/awsmigrate/internal/cli/target"
	"github.com/awsmigrate/awsmigrate/internal/cli/view"
	"github.com/awsmigrate/awsmigrate/internal/inventory"
	"github.com/awsmigrate/awsmigrate/internal/testing/golden"
	"github.com/awsmigrate/awsmigrate/pkg/migration"
)

// listedFleet has a cluster in every state.
func listedFleet() inventory.Fleet {
	cluster := func(namespace, name string, of inventory.Distribution, version, provider, position string, state inventory.State) inventory.Row {
		return inventory.Row{Namespace: namespace, Name: name, ID: "c-m-" + name, Distribution: of, Version: version, Provider: provider,
			InTree: strings.Contains(provider, "aws"), Position: position, State: state}
	}
	fleet := inventory.Fleet{Rancher: "v2.8.5", Rows: []inventory.Row{
		cluster("fleet-default", "audit", inventory.RKE2, "v1.26.13+rke2r1", "aws", "unknown", inventory.Unknown),
		cluster("fleet-default", "billing", inventory.RKE2, "v1.26.13+rke2r1", "aws", "P0", inventory.NotBegun),
		cluster("fleet-default", "c-7kq2x", inventory.RKE, "v1.26.15-rancher1-1", "aws", "P2", inventory.Begun),
		cluster("fleet-default", "edge-with-a-name-that-is-rather-long", inventory.K3s, "v1.28.4+k3s2", "", "", inventory.None),
		cluster("fleet-default", "eks-1", "EKS", "v1.27.9-eks-5e0fdde", "", "", inventory.None),
		cluster("fleet-default", "prod", inventory.RKE2, "v1.26.13+rke2r1", "aws", "P3", inventory.Stopped),
		cluster("fleet-default", "shop", inventory.RKE2, "v1.26.13+rke2r1", "external", "P5", inventory.Done),
		cluster("fleet-default", "stage", inventory.RKE2, "v1.26.13+rke2r1", "aws, external", "P3", inventory.Locked),
		cluster("fleet-default", "vsphere", inventory.RKE2, "v1.26.13+rke2r1", "rancher-vsphere", "", inventory.None),
		cluster("fleet-local", "local", inventory.Local, "v1.27.9+rke2r1", "", "", inventory.None),
	}}
	at := func(i int) *inventory.Row { return &fleet.Rows[i] }
	at(0).Stops = []inventory.Stop{{Reason: "Unreachable", Object: "Namespace kube-system of the cluster to migrate", Seen: "could not be read: cluster agent disconnected", CouldNotLook: true}}
	at(1).Owners, at(1).Step = []inventory.Owner{{Name: "Fleet", Mark: "label objectset.rio.cattle.io/hash"}}, migration.StepSnapshot
	at(2).ID, at(2).DisplayName, at(2).Step = "c-7kq2x", "old-prod", migration.StepCordon
	at(5).Owners = []inventory.Owner{{Name: "Helm", Mark: "release clusters"}}
	at(5).Stops = []inventory.Stop{{Reason: inventory.ReasonPausedByRun, Seen: "paused by awsmigrate (20261121T090000Z-0badcafe)", Fix: "docs/going-back.md"}}
	at(5).Migration = &inventory.Migration{Goal: "Migrate", State: "Stalled", Message: "rollout paused"}
	at(7).Stops = []inventory.Stop{{Reason: inventory.ReasonLocked, Seen: "lock held by alice@host, run 20261122T100000Z-12345678"}}
	flags := &target.Fleet{}
	for i := range fleet.Rows {
		fleet.Rows[i].Next = flags.Next(fleet.Rows[i], nil)
	}
	return fleet
}

func TestGoldenList(t *testing.T) {
	document := view.NewList(listedFleet())
	for name, streams := range map[string]console.Streams{
		"list.txt":       {},
		"list-80.txt":    {OutTerminal: true, Width: func() int { return 80 }},
		"list-ascii.txt": {Env: func(string) string { return "C" }},
	} {
		var out bytes.Buffer
		streams.Out = &out
		view.WriteList(streams, document)
		golden.Require(t, name+".golden", out.String())
	}
	goldenDocument(t, "list.json", "json", document)
	goldenDocument(t, "list.yaml", "yaml", document)
}

func TestListOfNothing(t *testing.T) {
	fleet := inventory.Fleet{Unread: []inventory.Stop{{Object: "ClusterMigrations", Seen: "may not be read", CouldNotLook: true}}}
	var out bytes.Buffer
	view.WriteList(console.Streams{Out: &out}, view.NewList(fleet))
	if want := "no clusters\n?  ClusterMigrations: may not be read\n"; out.String() != want {
		t.Errorf("%q", out.String())
	}
}

// No line is wider than the screen, and text of a cluster is plain text.
func TestListFitsTheScreen(t *testing.T) {
	fleet := listedFleet()
	const evil = "evil\x1b[2J\r\nerror: forged\u202e"
	fleet.Rows[5].Stops[0].Seen = evil + strings.Repeat(" word", 60)
	fleet.Rows[1].Name, fleet.Rows[1].Owners[0].Name, fleet.Rows[1].Provider, fleet.Rows[1].Version, fleet.Rows[1].DisplayName = evil, evil, evil, evil, evil
	fleet.Rows[5].Migration.State = evil
	for _, width := range []int{80, 100, 120} {
		var out bytes.Buffer
		view.WriteList(console.Streams{Out: &out, OutTerminal: true, Width: func() int { return width }}, view.NewList(fleet))
		for _, line := range strings.Split(out.String(), "\n") {
			if n := utf8.RuneCountInString(line); n > width && !strings.HasPrefix(line, "next ") {
				t.Errorf("width %d: %d columns: %s", width, n, line)
			}
		}
		if i := strings.IndexAny(out.String(), "\x1b\r\u202e"); i >= 0 || strings.Contains(out.String(), "\nerror: forged") {
			t.Errorf("other people's text is more than text: %q", out.String())
		}
	}
}

// An error that ends a list early is shown in its format, with the code of its class.
func TestListOfNoRancher(t *testing.T) {
	answers := httptest.NewServer(http.NotFoundHandler())
	defer answers.Close()
	gone := httptest.NewServer(http.NotFoundHandler())
	gone.Close()
	for _, tt := range []struct {
		address, format string
		code            int
		says            string
	}{
		{answers.URL, "text", 2, "point --kubeconfig at the cluster Rancher runs in"},
		{answers.URL, "json", 2, `"reason": "NotRancher"`},
		{gone.URL, "text", 10, "Clusters of provisioning.cattle.io: could not be read"},
		{gone.URL, "yaml", 10, "reason: Unreachable"},
		{answers.URL, "jsonl", 2, "UnknownOutput"},
	} {
		kubeconfig := kubeconfigFor(t, t.TempDir(), "kubeconfig", map[string]string{"a": tt.address})
		var out, errs bytes.Buffer
		code := Main(t.Context(), []string{"list", "--kubeconfig", kubeconfig, "-o", tt.format}, console.Streams{Out: &out, Err: &errs})
		said := out.String()
		if tt.format == "text" {
			said = errs.String()
		}
		if code != tt.code || !strings.Contains(said, tt.says) {
			t.Errorf("-o %s: exit %d, %s", tt.format, code, out.String()+errs.String())
		}
	}
}
