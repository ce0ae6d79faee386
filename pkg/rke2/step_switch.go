package rke2

import (
	"context"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/awsmigrate/awsmigrate/pkg/awsccm"
	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/rke2/config"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
	"github.com/awsmigrate/awsmigrate/pkg/verify/continuity"
	"github.com/awsmigrate/awsmigrate/pkg/verify/lease"
	"github.com/awsmigrate/awsmigrate/pkg/verify/position"
)

// switchProvider makes every component external in one edit that also takes the
// flag away: a kube-controller-manager that is external and keeps the flag can
// hold the migration lease and run none of its controllers. Rancher's guide
// edits machineGlobalConfig, which a selector-less entry beats on every cluster
// made in the UI; here the place that wins is edited.
type switchProvider struct{ base }

func (s *switchProvider) compute(spec config.Spec) (config.Edit, error) {
	choice, err := s.p.endState()
	if err != nil {
		return config.Edit{}, err
	}
	return config.SwitchProvider(spec, s.p.view.editMachines(), editState(choice))
}

func (s *switchProvider) Plan(context.Context) (runner.Plan, error) {
	spec := s.p.view.Cluster.Spec
	if before, err := config.EnableLeaderMigration(spec, s.p.view.editMachines()); err == nil && s.p.result.Position < position.P2 {
		if spec, err = before.Apply(spec); err != nil {
			return runner.Plan{}, err
		}
	}
	edit, err := s.compute(spec)
	if err != nil {
		return runner.Plan{}, err
	}
	plan, err := s.p.planEdit(edit, spec)
	plan.Notes = append(plan.Notes, "one hand-over, 13 to 24 s without service, route and cloud-node-lifecycle controllers")
	return plan, err
}

func (s *switchProvider) Do(ctx context.Context, tx *runner.Tx) error {
	if err := s.p.read(ctx); err != nil {
		return err
	}
	edit, err := s.compute(s.p.view.Cluster.Spec)
	if err != nil || edit.Empty() {
		return err
	}
	if err := s.p.requireRest(); err != nil {
		return err
	}
	if err := s.p.requireSamePlanes(tx); err != nil {
		return err
	}
	if s.p.result.Position != position.P3 || s.p.result.Mixed {
		return &fault.Error{Class: fault.Stale, Reason: "NotReadyToSwitch", Object: s.p.view.object(),
			Seen:   s.p.result.Summary,
			Wanted: position.P3.Summary() + ": with no cloud controller manager waiting for the lease another kube-controller-manager would take it back",
			Fix:    "run again: install-ccm comes first"}
	}
	if err := s.p.noteManifests(ctx, tx); err != nil {
		return err
	}
	return s.p.writeEdit(ctx, tx, edit)
}

func (s *switchProvider) Verify(ctx context.Context, tx *runner.Tx) (runner.Verdict, error) {
	roll, err := s.p.watchRoll(ctx, tx, s.compute, "every machine to run with the external provider")
	if err != nil || roll.stop != nil {
		return roll.verdict(), err
	}
	switched := s.p.switchedMachines(tx)
	for _, m := range s.p.view.Machines {
		if why, ok := switched[m.UID]; ok && why == "" {
			roll.done++
		} else {
			roll.wait("%s: %s", m.Name, why)
		}
	}
	roll.total = len(s.p.view.Machines)
	verdict := s.p.view.LeaseVerdict()
	if verdict.Owner != lease.CCM || verdict.Life != lease.Alive {
		roll.wait("migration lease: %s, %s", verdict.Owner, verdict.Life)
	}
	for _, open := range s.p.newNodesOpen(tx) {
		roll.wait("%s", open)
	}
	roll.evidence = []string{
		fmt.Sprintf("%d of %d machines run with the external provider, no flag left", roll.done, roll.total),
		fmt.Sprintf("migration lease: %s (aws-cloud-controller-manager), renewing", lease.Host(verdict.Holder)),
		"every Node kept its name, UID and ProviderID",
	}
	return roll.verdict(), nil
}

// Tend implements runner.Tender: cordons are given back as soon as every
// control plane is switched, while workers still roll, and cordons of the
// user's that a roll removed are set again at once.
func (s *switchProvider) Tend(ctx context.Context, tx *runner.Tx) error {
	if err := s.p.restoreUserCordons(ctx, tx); err != nil {
		return err
	}
	for _, k := range s.p.view.KCMs() {
		if k.Provider() != position.External || k.Flagged() || !k.Running() {
			return nil
		}
	}
	return s.p.giveBackCordons(ctx, tx)
}

// Tend implements runner.Tender for the first roll.
func (s *enable) Tend(ctx context.Context, tx *runner.Tx) error {
	return s.p.restoreUserCordons(ctx, tx)
}

// switchedMachines says for every Machine what it still lacks; empty for nothing.
func (p *Procedure) switchedMachines(tx *runner.Tx) map[string]string {
	var before map[string]manifest
	_, _ = tx.NoteInto(manifestsNote, &before) // without it the arguments alone decide
	lacks := make(map[string]string, len(p.view.Machines))
	for _, m := range p.view.Machines {
		lacks[m.UID] = p.lacksSwitch(m)
	}
	for _, k := range p.view.KCMs() {
		switch {
		case lacks[k.Machine.UID] != "":
		case !k.Running():
			lacks[k.Machine.UID] = "kube-controller-manager is not Ready"
		case k.Provider() != position.External:
			lacks[k.Machine.UID] = "kube-controller-manager runs with provider " + k.Provider()
		case k.Flagged():
			lacks[k.Machine.UID] = "kube-controller-manager still has enable-leader-migration"
		case !(&roll{step: StepSwitch, before: before}).restarted(k):
			lacks[k.Machine.UID] = "kube-controller-manager has not restarted since the edit"
		}
	}
	return lacks
}

// lacksSwitch judges a machine by its Node's own record of its arguments, the
// only proof in the API that a worker runs the new configuration.
func (p *Procedure) lacksSwitch(m Machine) string {
	nodes := p.view.Down.nodeOfMachine(m.UID)
	if len(nodes) == 0 {
		return "has no Node"
	}
	args, err := config.ParseNodeArgs(nodes[0].Annotations[config.NodeArgsAnnotation])
	if err != nil {
		return "its arguments cannot be read: " + err.Error()
	}
	if provider := nodeProvider(args); provider != config.ProviderExternal {
		return fmt.Sprintf("its kubelet runs with provider %q", provider)
	}
	return ""
}

// nodeProvider is the provider of a kubelet by its Node's own record: the last
// cloud-provider among its arguments, else cloud-provider-name.
func nodeProvider(args config.NodeArgs) string {
	if provider, ok := config.Last(args.All(config.KeyKubeletArg), config.FlagProvider); ok {
		return provider
	}
	provider, _ := args.Last(config.KeyProvider)
	return provider
}

const uninitializedTaint = "node.cloudprovider.kubernetes.io/uninitialized"

// newNodesOpen are Nodes that joined during the run and wait for the CCM.
func (p *Procedure) newNodesOpen(tx *runner.Tx) []string {
	before, _, _ := fingerprint(tx.Record()) // without it every Node counts as new, and must be initialized
	var open []string
	for i := range p.view.Down.Nodes {
		node := &p.view.Down.Nodes[i]
		if hasNode(before, node.Name) {
			continue
		}
		for _, taint := range node.Spec.Taints {
			if taint.Key == uninitializedTaint {
				open = append(open, fmt.Sprintf("new Node %s is not initialized by the cloud controller manager yet", node.Name))
			}
		}
	}
	return open
}

// sighting is what the guard judges of this reading.
func (p *Procedure) sighting(tx *runner.Tx) Sighting {
	verdict := p.view.LeaseVerdict()
	p.guard.Gap = p.handover()
	s := Sighting{
		At: p.clock.Now(), Renames: p.renames(tx), LeaseHolder: verdict.Holder,
		LeaseMark:   p.view.Leases.Migration.Last.ResourceVersion,
		LeaseNeeded: p.view.Leases.Migration.Last.Exists && p.nobodyRunsUnflagged(),
		CCMHolds:    verdict.Owner == lease.CCM && verdict.Life == lease.Alive,
		CCMRestarts: restartsOf(p.view.Down.CCMPods),
	}
	for _, k := range p.view.KCMs() {
		if k.Pod != nil && k.Provider() == position.External && k.Flagged() {
			s.Starving = append(s.Starving, k.Machine.Name)
		}
	}
	for _, m := range p.view.Machines {
		for _, node := range p.view.Down.nodeOfMachine(m.UID) {
			if p.lacksSwitch(m) == "" && !nodeReady(node) {
				s.SwitchedNotReady = append(s.SwitchedNotReady, m.Name)
			}
		}
	}
	return s
}

// nobodyRunsUnflagged says whether only a holder of the migration lease can run
// the cloud controllers. While one kube-controller-manager is still in-tree
// without the flag it may lead and run them all, and the lease may rest.
func (p *Procedure) nobodyRunsUnflagged() bool {
	for _, k := range p.view.KCMs() {
		if k.Pod == nil || (k.Provider() != position.External && !k.Flagged()) {
			return false
		}
	}
	return true
}

// handover is the longest gap by construction with the durations in force.
func (p *Procedure) handover() time.Duration {
	longest := time.Duration(0)
	for _, k := range p.view.KCMs() {
		if k.Pod == nil {
			continue
		}
		if election, err := k.Args.Election(); err == nil {
			_, gap := election.Gap()
			longest = max(longest, gap)
		}
	}
	return longest
}

func restartsOf(pods []corev1.Pod) map[string]int32 {
	restarts := make(map[string]int32, len(pods))
	for i := range pods {
		for _, status := range pods[i].Status.ContainerStatuses {
			restarts[pods[i].Name] += status.RestartCount
		}
	}
	return restarts
}

func cordonedThen(before continuity.Fingerprint, node *corev1.Node) bool {
	for _, then := range before.Nodes {
		if then.Cordoned && then.Name == node.Name && then.UID == string(node.UID) {
			return true
		}
	}
	return false
}

// restoreUserCordons sets cordons again that were the user's and that a roll
// has removed: Rancher uncordons whatever it drained.
func (p *Procedure) restoreUserCordons(ctx context.Context, tx *runner.Tx) error {
	before, known, err := fingerprint(tx.Record())
	if err != nil || !known {
		return err
	}
	for i := range p.view.Down.Nodes {
		node := &p.view.Down.Nodes[i]
		if node.Spec.Unschedulable || !cordonedThen(before, node) {
			continue
		}
		intent := runner.Intent{What: "cordon Node " + node.Name + " again, as its user had", Object: "Node " + node.Name, Token: string(node.UID)}
		if err := tx.Effect(ctx, intent, func(ctx context.Context) error {
			_, err := awsccm.RestoreUser(ctx, p.clients.Downstream.CoreV1().Nodes(), node.Name, node.UID)
			return err
		}); err != nil {
			return err
		}
	}
	return nil
}
