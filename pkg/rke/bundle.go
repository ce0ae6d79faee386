package rke

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/rke/clusterfile"
	"github.com/awsmigrate/awsmigrate/pkg/rke/naming"
	"github.com/awsmigrate/awsmigrate/pkg/rke/rkechecks"
	"github.com/awsmigrate/awsmigrate/pkg/rke/rkecli"
	"github.com/awsmigrate/awsmigrate/pkg/rke/rkestate"
	"github.com/awsmigrate/awsmigrate/pkg/verify"
	"github.com/awsmigrate/awsmigrate/pkg/verify/bundle"
	"github.com/awsmigrate/awsmigrate/pkg/verify/checks/evidence"
)

// storedFacts holds RKE's side of a cluster in a bundle. The bundle's Input holds its Nodes.
type storedFacts struct {
	Path              string                               `json:"path,omitempty"` // empty if Rancher manages the cluster
	Cluster           string                               `json:"cluster,omitempty"`
	Object            string                               `json:"object"`
	Config            clusterfile.Config                   `json:"config"`
	StateSource       string                               `json:"stateSource"`
	StateKnown        bool                                 `json:"stateKnown"`
	State             rkestate.Config                      `json:"state"`
	Binary            verify.Read[rkecli.Binary]           `json:"binary"`
	PinnedVolumes     verify.Read[[]rkestate.PinnedVolume] `json:"pinnedVolumes"`
	Pending           []migration.PendingCondition         `json:"unrest,omitempty"`
	KubernetesVersion string                               `json:"kubernetesVersion,omitempty"`
	NoRKEUp           bool                                 `json:"noRKEUp,omitempty"`
}

// EncodeBundle implements migration.Backend.
func (c *Common) EncodeBundle(snap migration.Snapshot, _ bool, r *bundle.Redactor) ([]byte, error) {
	f := redactFacts(r, FactsOf(snap))
	k := storedFacts{
		Path: f.Path, Cluster: c.Options.Cluster, Object: snap.Reading.Object, Config: f.Config,
		StateSource: f.State.Source, StateKnown: f.State.Current.Known, State: f.State.Current.Config,
		Binary: f.Binary, PinnedVolumes: f.PinnedVolumes,
		KubernetesVersion: c.Options.KubernetesVersion, NoRKEUp: c.Options.NoRKEUp,
	}
	for _, u := range snap.Reading.Pending {
		u.Seen, u.Wanted = bundle.Scrub(u.Seen), bundle.Scrub(u.Wanted)
		k.Pending = append(k.Pending, u)
	}
	text, err := json.Marshal(k)
	if err != nil {
		return nil, fmt.Errorf("write RKE's side into the bundle: %w", err)
	}
	return text, nil
}

// ChecksFromBundle returns the checks that are not LiveOnly, bound to the text of EncodeBundle
// and to the other evidence in the bundle.
func ChecksFromBundle(text []byte, in evidence.Input) ([]verify.Bound, error) {
	var k storedFacts
	if err := json.Unmarshal(text, &k); err != nil {
		return nil, fmt.Errorf("read RKE's side from the bundle: %w", err)
	}
	registry := slices.DeleteFunc(rkechecks.All(), func(c verify.Check[rkechecks.Prepared]) bool { return c.LiveOnly })
	if !in.Nodes.OK() {
		return verify.Unjudged(verify.Metas(registry...), "the bundle has no Nodes"), nil
	}
	p := rkechecks.Prepared{Kept: true, Input: in, Prepared: migration.Prepared{NotPreviewed: migration.NotPreviewed}, Facts: rkestate.Facts{
		Path: k.Path, Config: k.Config, Binary: k.Binary, PinnedVolumes: k.PinnedVolumes,
		State: rkestate.Full{Source: k.StateSource, Current: rkestate.Applied{Known: k.StateKnown, Config: k.State}},
	}}
	p.Options.Cluster, p.Options.KubernetesVersion, p.Options.NoRKEUp = k.Cluster, k.KubernetesVersion, k.NoRKEUp
	down := in.Cluster()
	p.Reading = ReadingOf(p.Facts, down, "")
	p.Down, p.Object, p.Pending = down, k.Object, k.Pending
	p.RestErr = p.RequireSettled()
	p.Names, p.NameErr = naming.Choose(p.Facts, p.Down.Nodes, in.Cloud, targetsOf(p.Options.KubernetesVersion)...)
	return verify.Bind(p, registry...), nil
}
