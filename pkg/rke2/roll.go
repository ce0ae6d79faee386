package rke2

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"

	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/rke2/config"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
)

// manifestsNote is the journal's key for how the static pods looked before an edit.
const manifestsNote = "manifests-before"

// manifest is how one kube-controller-manager looked before an edit. Both times
// are the API server's, and compared only with each other.
type manifest struct {
	Step    runner.StepID `json:"step"`
	Hash    string        `json:"hash"`
	Started string        `json:"started"`
}

// noteManifests records hash and start of every kube-controller-manager, so
// that "restarted since the edit" can be told from "was like that before".
func (p *Procedure) noteManifests(ctx context.Context, tx *runner.Tx) error {
	before := map[string]manifest{}
	for _, k := range p.Reading.KCMs {
		before[k.ID] = manifest{Step: tx.Step(), Hash: k.Hash, Started: k.Started}
	}
	return tx.Note(ctx, manifestsNote, before)
}

func startedAt(pod *corev1.Pod) string {
	if pod == nil {
		return ""
	}
	for _, status := range pod.Status.ContainerStatuses {
		if status.State.Running != nil {
			return status.State.Running.StartedAt.UTC().Format("2006-01-02T15:04:05Z")
		}
	}
	return ""
}

// roll is one reading while Rancher rolls an edit out.
type roll struct {
	migration.Roll
	before map[string]manifest
	step   runner.StepID
}

// watchRoll reads once, lets the guard judge, names components that crash and an
// edit that somebody took back, and says what of the roll is still open.
func (p *Procedure) watchRoll(ctx context.Context, tx *runner.Tx, edit *placed, waitingFor string) (*roll, error) {
	r := &roll{Roll: migration.Roll{WaitingFor: waitingFor, By: migration.ByRancher()}, step: tx.Step()}
	if err := p.Read(ctx); err != nil {
		return r, err
	}
	if _, err := tx.NoteInto(manifestsNote, &r.before); err != nil {
		return r, err
	}
	r.Progress = p.progress()
	if err := p.Reading.Frozen(); err != nil {
		r.Stop(migration.Failed(err))
		return r, nil
	}
	if err := p.Guard.Judge(p.Sighting(tx)); err != nil {
		r.Stop(migration.Braked(err))
		return r, nil
	}
	if err := p.crashed(); err != nil {
		r.Stop(migration.Failed(err))
		return r, nil
	}
	if lacks := edit.takenBack(p.facts.Cluster.Spec); lacks != nil {
		r.Stop(migration.TakenBack(p.facts.object(), lacks, p.facts.Cluster.LastWriter))
		return r, nil
	}
	missing := func(spec config.Spec) (bool, []string) {
		edit, err := edit.compute(spec)
		if err != nil {
			return false, []string{err.Error()}
		}
		return edit.Empty(), locations(edit)
	}
	for _, open := range telling(p.rolledOut(missing)) {
		r.Wait("%s", tell(open))
	}
	r.WaitForNodes(p.Reading)
	for _, open := range p.OpenCordons(tx.Record()) {
		r.Wait("%s %s", open.Object, open.Seen)
	}
	return r, nil
}

func locations(edit config.Edit) []string {
	var all []string
	for _, c := range edit.Changes {
		all = append(all, c.Location)
	}
	return all
}

// restarted says whether a kube-controller-manager runs another manifest than
// before this step's edit. Without a record of before, its arguments decide.
func (r *roll) restarted(k migration.KCM) bool {
	before, known := r.before[k.ID]
	if !known || before.Step != r.step {
		return true
	}
	return k.Hash != before.Hash && k.Started != "" && k.Started >= before.Started
}

// progress changes exactly when something moved, a machine's plan among it.
func (p *Procedure) progress() string {
	plane := p.facts.ControlPlane
	marks := []string{fmt.Sprintf("p %d %s", plane.ObservedGeneration, plane.Conditions[conditionReady].Status)}
	for _, m := range p.facts.Machines {
		marks = append(marks, fmt.Sprintf("m %s %s %s", m.UID, m.Conditions[conditionPlanApplied].Status, m.Conditions[conditionReconciled].Status))
	}
	return p.Reading.Progress(marks...)
}
