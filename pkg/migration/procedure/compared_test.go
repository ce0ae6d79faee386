package procedure

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/awsmigrate/awsmigrate/internal/testing/clustertest"
	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/migration/guard"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
	"github.com/awsmigrate/awsmigrate/pkg/verify"
	"github.com/awsmigrate/awsmigrate/pkg/verify/checks/evidence"
	"github.com/awsmigrate/awsmigrate/pkg/verify/cloud"
	"github.com/awsmigrate/awsmigrate/pkg/verify/continuity"
	"github.com/awsmigrate/awsmigrate/pkg/verify/downstream"
	"github.com/awsmigrate/awsmigrate/pkg/verify/position"
)

// Parts that could not be read are reported as not compared.
func TestCompareWithFingerprint(t *testing.T) {
	snap := clustertest.At(position.P5)
	facts := downstream.Facts{Nodes: verify.Got(snap.Reading.Down.Nodes), Services: verify.Got([]downstream.Service{{Namespace: "web", Name: "a", UID: "1", Hostnames: []string{"x"}}})}
	fp, err := continuity.Take(facts, cloud.Facts{})
	if err != nil {
		t.Fatal(err)
	}
	packed, err := fp.Encode()
	if err != nil {
		t.Fatal(err)
	}
	noted := func(packed []byte) migration.Snapshot {
		tx := clustertest.TxFor(t, migration.StepVerify)
		if err := tx.Note(t.Context(), guard.FingerprintNote, packed); err != nil {
			t.Fatal(err)
		}
		now := snap
		now.Record = tx.Record()
		return now
	}
	part := facts
	part.Services = verify.Read[[]downstream.Service]{}
	const nodes, addresses, balancers = "names, UIDs, ProviderIDs", "the first of each type, others in any order", "host names of Services"
	n := len(snap.Reading.Down.Nodes)
	for name, tt := range map[string]struct {
		snap  migration.Snapshot
		facts downstream.Facts
		want  []runner.Compared
	}{
		"all of it": {noted(packed), facts, []runner.Compared{{Kind: "nodes", By: nodes, Same: n, Of: n}, {Kind: "addresses of nodes", By: addresses, Same: n, Of: n}, {Kind: "load balancers", By: balancers, Same: 1, Of: 1}}},
		"a part":    {noted(packed), part, []runner.Compared{{Kind: "nodes", By: nodes, Same: n, Of: n}, {Kind: "addresses of nodes", By: addresses, Same: n, Of: n}, {Kind: "load balancers", By: balancers, Unread: "could not be read: no attempt was made"}}},
		"no fingerprint": {snap, facts, []runner.Compared{{Kind: "nodes", By: nodes, Unread: noFingerprint}, {Kind: "addresses of nodes", By: addresses, Unread: noFingerprint},
			{Kind: "load balancers", By: balancers, Unread: noFingerprint}}},
	} {
		if d := cmp.Diff(tt.want, compareWithFingerprint(tt.snap, evidence.Input{Facts: tt.facts})); d != "" {
			t.Errorf("%s: %s", name, d)
		}
	}
	for _, one := range compareWithFingerprint(noted([]byte("none")), evidence.Input{Facts: facts}) {
		if one.Unread == "" {
			t.Errorf("with an unreadable fingerprint: %+v", one)
		}
	}
}
