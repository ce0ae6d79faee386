package rke2checks

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	utiljson "k8s.io/apimachinery/pkg/util/json"

	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/rke2/rancher"
	"github.com/awsmigrate/awsmigrate/pkg/verify"
	"github.com/awsmigrate/awsmigrate/pkg/verify/bundle"
	"github.com/awsmigrate/awsmigrate/pkg/verify/checks/evidence"
	"github.com/awsmigrate/awsmigrate/pkg/verify/position"
)

// storedFacts holds Rancher's side of a cluster in a bundle. The bundle's Input holds its
// Nodes and mirror pods.
type storedFacts struct {
	Facts             rancher.Facts `json:"facts"`
	Stale             []string      `json:"stale,omitempty"` // Nodes
	EndState          EndState      `json:"endState"`        // option of the user
	KubernetesVersion string        `json:"kubernetesVersion,omitempty"`
	Writes            bool          `json:"writes,omitempty"` // the run had a pending step that writes
	OwnersInformed    []string      `json:"ownersInformed,omitempty"`
}

// EncodeBundle returns Rancher's side for a bundle, without secrets.
func EncodeBundle(f rancher.Facts, r migration.Reading, o Options, writes bool, redactor *bundle.Redactor) ([]byte, error) {
	text, err := json.Marshal(storedFacts{Facts: redactFacts(redactor, f), Stale: slices.Sorted(maps.Keys(r.Stale)),
		EndState: o.EndState, KubernetesVersion: o.KubernetesVersion, Writes: writes, OwnersInformed: o.OwnersInformed})
	if err != nil {
		return nil, fmt.Errorf("write Rancher's side into the bundle: %w", err)
	}
	return text, nil
}

// ChecksFromBundle returns the checks that are not LiveOnly, bound to the text of EncodeBundle
// and to the other evidence in the bundle.
func ChecksFromBundle(text []byte, in evidence.Input) ([]verify.Bound, error) {
	var k storedFacts
	if err := utiljson.Unmarshal(text, &k); err != nil { // decodes integers as API objects hold them
		return nil, fmt.Errorf("read Rancher's side from the bundle: %w", err)
	}
	registry := slices.DeleteFunc(All(), func(c verify.Check[Prepared]) bool { return c.LiveOnly })
	if !in.Nodes.OK() || !in.StaticPods.OK() {
		return verify.Unjudged(verify.Metas(registry...), "the bundle has no Nodes, or no pods of control planes"), nil
	}
	r := k.Facts.Combine(in.Cluster())
	r.Stale = map[string]bool{}
	for _, node := range k.Stale {
		r.Stale[node] = true
	}
	options := Options{EndState: k.EndState}
	options.KubernetesVersion, options.OwnersInformed = k.KubernetesVersion, k.OwnersInformed
	made := migration.Prepared{RestErr: r.RequireSettled(), NotPreviewed: migration.NotPreviewed, Stands: in.Position.Position, Writes: k.Writes}
	prepared := Prepare(k.Facts, r, made, options, in.Position.Position.AtLeast(position.P4))
	prepared.Next = NextMachinesOf(in)
	return verify.Bind(prepared, registry...), nil
}
