package rke

import (
	"context"
	"fmt"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/rke/clusterfile"
	"github.com/awsmigrate/awsmigrate/pkg/rke/configtree"
	"github.com/awsmigrate/awsmigrate/pkg/rke/naming"
	"github.com/awsmigrate/awsmigrate/pkg/rke/rkechecks"
	"github.com/awsmigrate/awsmigrate/pkg/rke/rkecli"
	"github.com/awsmigrate/awsmigrate/pkg/rke/rkestate"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
	"github.com/awsmigrate/awsmigrate/pkg/verify"
	"github.com/awsmigrate/awsmigrate/pkg/verify/checks/evidence"
	"github.com/awsmigrate/awsmigrate/pkg/verify/downstream"
	"github.com/awsmigrate/awsmigrate/pkg/verify/position"
	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

// observed is one reading of a cluster.yml and what lies beside it.
type observed struct {
	rkestate.Facts
	record            journal.Record // the journal, when they were read
	noRKEUp, snapshot bool           // the user's choices
	ended             string         // token of the `rke up` that this run saw end well
}

// factsOf are those that an observation holds, of a cluster.yml or of Rancher.
func factsOf(seen migration.Snapshot) rkestate.Facts {
	c, known := seen.Config.(interface{ facts() rkestate.Facts })
	if !known {
		return rkestate.Facts{}
	}
	return c.facts()
}

func (o observed) facts() rkestate.Facts { return o.Facts }

// Look implements migration.Side: file, state, binary.
func (p *Procedure) Look(ctx context.Context, record journal.Record) (migration.Config, error) {
	return p.look(ctx, record)
}

func (p *Procedure) look(ctx context.Context, record journal.Record) (observed, error) {
	o := observed{record: record, noRKEUp: p.options.NoRKEUp, snapshot: p.options.Snapshot, ended: p.child.ended()}
	file, err := clusterfile.ReadFrom(p.disk(), p.options.Config)
	if err != nil {
		return o, err
	}
	state, err := rkestate.Read(ctx, p.edges.Kube)
	if err != nil {
		return o, err
	}
	f := rkestate.Facts{Path: p.options.Config, File: file, Config: file.Config(), State: state, Local: rkestate.ReadLocal(p.disk(), p.options.Config)}
	if !p.once.binary.Looked {
		p.once.binary = p.lookForBinary(ctx, f)
	}
	if !p.once.volumes.Looked {
		p.once.volumes = rkestate.ReadPinnedVolumes(ctx, p.edges.Kube)
	}
	f.Binary, f.PinnedVolumes = p.once.binary, p.once.volumes
	f.Registries = configtree.Registries("file "+f.Path, "private_registries", "is_default", configtree.Of(file.Text()))
	o.Facts = f
	return o, ctx.Err()
}

func (p *Procedure) lookForBinary(ctx context.Context, f rkestate.Facts) verify.Read[rkecli.Binary] {
	binary, err := p.tool().Find(ctx, p.options.RKEBinary, f.KubernetesVersion(), p.options.KubernetesVersion)
	if err != nil {
		return verify.Failed[rkecli.Binary](err)
	}
	return verify.Got(binary)
}

// Combine implements migration.Config.
func (o observed) Combine(down downstream.Cluster) migration.Reading {
	return reading(o.Facts, down, o.unfinished())
}

// InstalledAs implements migration.Config.
func (observed) InstalledAs(journal.Record) migration.InstallMethod { return migration.InstallHelm }

// Document implements migration.Side: a cluster.yml installs no charts.
func (p *Procedure) Document() migration.DocumentInstaller { return nil }

// Supported implements migration.Config.
func (o observed) Supported() error {
	if !o.State.Current.Known {
		return &fault.Error{Class: fault.Check, Reason: "NeverApplied", Object: o.State.Source,
			Seen: "has no currentState: no `rke up` has ever finished its control plane", Wanted: "a running RKE cluster"}
	}
	return nil
}

// CloudConfig implements migration.Side: the in-tree provider's, from the file;
// after the switch, which takes it out of there, from the Secret of the chart.
func (p *Procedure) CloudConfig(ctx context.Context, seen migration.Snapshot) (string, error) {
	if text := CloudConfigText(factsOf(seen).Config); text != "" {
		return text, nil
	}
	const name = wellknown.CCM + "-cloud-config"
	secret, err := p.edges.Kube.CoreV1().Secrets(wellknown.System).Get(ctx, name, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return "", nil
	}
	if err != nil {
		return "", migration.CouldNotRead("Secret kube-system/"+name, err)
	}
	return string(secret.Data["cloud.conf"]), nil
}

// Checks implements migration.Side.
func (p *Procedure) Checks(seen migration.Snapshot, input *evidence.Input, made migration.Prepared) []verify.Bound {
	input.KCMs = append(input.KCMs, seen.Reading.KCMEvidence()...)
	input.Registries = factsOf(seen).Registries
	prepared := rkechecks.Prepared{Facts: factsOf(seen), Reading: seen.Reading, Prepared: made, Input: *input, Options: p.options.ofChecks()}
	prepared.Names, prepared.NameErr = naming.Choose(factsOf(seen), seen.Reading.Down.Nodes, input.Cloud, p.options.targets()...)
	if prepared.NameErr == nil && input.Nodes.Looked {
		p.names = &prepared.Names
	}
	if prepared.NameErr == nil {
		prepared.EditErr = p.tryEdits(seen, prepared.Names)
	}
	return verify.Bind(prepared, rkechecks.All()...)
}

// SnapshotState implements migration.Config. A snapshot leaves nothing in the
// cluster; the journal tells.
func (o observed) SnapshotState(record journal.Record, reached position.Position) runner.State {
	var done upRecord
	taken, _ := record.NoteInto(snapshotNote, &done)
	switch {
	case !o.snapshot:
		return runner.State{Kind: runner.Skipped, Reason: "without --etcd-snapshot"}
	case reached > position.P1:
		return runner.State{Kind: runner.Done, Reason: "the cluster is past it"}
	case taken && done.OK && slices.ContainsFunc(record.SinceUndo(), func(i journal.Intent) bool { return i.Token == done.Token }):
		return runner.State{Kind: runner.Done, Reason: fmt.Sprintf("rke ended well at %s", done.Time)}
	}
	return runner.State{Kind: runner.Todo}
}

// Rolls implements migration.Side: a killed `rke up` leaves a change half done.
func (p *Procedure) Rolls(step journal.StepID) bool {
	return step == migration.StepEnable || step == migration.StepSwitch || step == migration.StepUpgrade
}

// Tell implements migration.Side.
func (p *Procedure) Tell(open []migration.Unrest) string { return migration.TellUnrest(open) }
