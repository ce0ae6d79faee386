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
func (p *Procedure) noteManifests(ctx context.Context, tx *runner.Tx, seen migration.Snapshot) error {
	before := map[string]manifest{}
	for _, k := range seen.Reading.KCMs {
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
func (p *Procedure) watchRoll(tx *runner.Tx, seen migration.Snapshot, edit *placed, waitingFor string) (*roll, error) {
	r := &roll{Roll: migration.Roll{WaitingFor: waitingFor, By: migration.ByRancher()}, step: tx.Step()}
	if _, err := tx.NoteInto(manifestsNote, &r.before); err != nil {
		return r, err
	}
	r.Progress = progress(seen)
	if err := seen.Reading.Frozen(); err != nil {
		r.Stop(migration.Failed(err))
		return r, nil
	}
	if err := p.Guard.Judge(seen.Sighting()); err != nil {
		r.Stop(migration.Braked(err))
		return r, nil
	}
	if err := p.crashed(seen); err != nil {
		r.Stop(migration.Failed(err))
		return r, nil
	}
	if lacks := edit.takenBack(seen); lacks != nil {
		r.Stop(migration.TakenBack(factsOf(seen).object(), lacks, factsOf(seen).Cluster.LastWriter))
		return r, nil
	}
	missing := func(spec config.Spec) (bool, []string) {
		edit, err := edit.compute(seen, spec)
		if err != nil {
			return false, []string{err.Error()}
		}
		return edit.Empty(), locations(edit)
	}
	for _, open := range telling(rolledOut(seen, missing)) {
		r.Wait("%s", tell(open))
	}
	r.WaitForNodes(seen.Reading)
	for _, open := range seen.OpenCordons() {
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
func progress(seen migration.Snapshot) string {
	plane := factsOf(seen).ControlPlane
	marks := []string{fmt.Sprintf("p %d %s", plane.ObservedGeneration, plane.Conditions[conditionReady].Status)}
	for _, m := range factsOf(seen).Machines {
		marks = append(marks, fmt.Sprintf("m %s %s %s", m.UID, m.Conditions[conditionPlanApplied].Status, m.Conditions[conditionReconciled].Status))
	}
	return seen.Reading.Progress(marks...)
}
