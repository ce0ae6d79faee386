package rke2

import (
	"context"
	"fmt"
	"sort"
	"strings"

	corev1 "k8s.io/api/core/v1"

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
	for _, k := range p.view.KCMs() {
		before[k.Machine.UID] = manifest{Step: tx.Step(), Hash: k.ConfigHash(), Started: startedAt(k.Pod)}
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
	waitingFor  string
	waits       []string
	done, total int
	evidence    []string
	before      map[string]manifest
	step        runner.StepID
	progress    string
	stop        *runner.Verdict // judged already: braked or failed
}

// watchRoll reads once, lets the guard judge, names components that crash, and
// says what of the roll is still open.
func (p *Procedure) watchRoll(ctx context.Context, tx *runner.Tx, compute func(config.Spec) (config.Edit, error), waitingFor string) (*roll, error) {
	r := &roll{waitingFor: waitingFor, step: tx.Step()}
	if err := p.read(ctx); err != nil {
		return r, err
	}
	if _, err := tx.NoteInto(manifestsNote, &r.before); err != nil {
		return r, err
	}
	r.progress = p.progress()
	if err := p.guard.Judge(p.sighting(tx)); err != nil {
		return r.stopped(brake(err)), nil
	}
	if err := p.crashed(); err != nil {
		return r.stopped(failed(err)), nil
	}
	missing := func(spec config.Spec) (bool, []string) {
		edit, err := compute(spec)
		if err != nil {
			return false, []string{err.Error()}
		}
		return edit.Empty(), locations(edit)
	}
	for _, open := range telling(p.rolledOut(missing)) {
		r.wait("%s", open.tell())
	}
	for _, open := range p.nodesAtRest() {
		r.wait("%s %s", open.Object, open.Seen)
	}
	return r, nil
}

func (r *roll) stopped(with runner.Verdict) *roll {
	with.Progress = r.progress
	r.stop = &with
	return r
}

func locations(edit config.Edit) []string {
	var all []string
	for _, c := range edit.Changes {
		all = append(all, c.Location)
	}
	return all
}

func (r *roll) wait(format string, args ...any) {
	r.waits = append(r.waits, fmt.Sprintf(format, args...))
}

// restarted says whether a kube-controller-manager runs another manifest than
// before this step's edit. Without a record of before, its arguments decide.
func (r *roll) restarted(k KCM) bool {
	before, known := r.before[k.Machine.UID]
	if !known || before.Step != r.step {
		return true
	}
	return k.ConfigHash() != before.Hash && startedAt(k.Pod) != "" && startedAt(k.Pod) >= before.Started
}

func (r *roll) verdict() runner.Verdict {
	if r.stop != nil {
		return *r.stop
	}
	if len(r.waits) == 0 {
		return met(r.evidence...)
	}
	return runner.Verdict{Kind: runner.Waiting, WaitingFor: r.waitingFor, Seen: tellSome(r.waits),
		Progress: r.progress, Done: r.done, Total: r.total}
}

// progress changes exactly when something moved: a machine's plan, a Node's
// readiness, a component's manifest or start, the holder of a lease.
func (p *Procedure) progress() string {
	var marks []string
	for _, m := range p.view.Machines {
		marks = append(marks, fmt.Sprintf("m %s %s %s", m.UID, m.Conditions["PlanApplied"].Status, m.Conditions["Reconciled"].Status))
	}
	for i := range p.view.Down.Nodes {
		node := &p.view.Down.Nodes[i]
		marks = append(marks, fmt.Sprintf("n %s %t %s", node.UID, nodeReady(node), node.Annotations["rke2.io/node-config-hash"]))
	}
	for _, k := range p.view.KCMs() {
		marks = append(marks, fmt.Sprintf("k %s %s %s %t", k.Machine.UID, k.ConfigHash(), startedAt(k.Pod), k.Running()))
	}
	plane := p.view.ControlPlane
	marks = append(marks, fmt.Sprintf("p %d %s", plane.ObservedGeneration, plane.Conditions["Ready"].Status),
		"l "+p.view.Leases.Migration.Last.Holder)
	sort.Strings(marks)
	return strings.Join(marks, "\n")
}
