package cli

import (
	"bufio"
	"context"
	"fmt"
	"strings"

	"k8s.io/utils/clock"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
)

func runRKE2(ctx context.Context, a *app, flags *rke2Flags, engine *engineFlags) error {
	if err := a.checkOutput("text", "json", "jsonl", "yaml"); err != nil {
		return err
	}
	if err := engine.check(); err != nil {
		return err
	}
	if engine.dryRun {
		return planRKE2(ctx, a, flags, false, false)
	}
	session, err := flags.open(ctx, readWrite)
	if err != nil {
		return err
	}
	view := newRunView(a, flags.target.again())
	processes := runner.HostProcesses()
	who := owner(session.runID, processes)
	lock := runner.NewLeaseLock(session.clients.ManagementKube, flags.target.namespace,
		runner.JournalName(flags.target.cluster), who, clock.RealClock{})
	lock.Processes = processes
	options := runner.Options{
		RunID: session.runID, Command: a.commandLine(), Who: who.User + "@" + who.Host,
		Until: runner.StepID(engine.until), Only: runner.StepID(engine.step),
		Timeout: engine.timeout, Deadline: engine.deadline,
		Journal: session.journal, Lock: lock,
		Clock: clock.RealClock{}, Sink: view, Interrupt: a.interrupts,
		Approve: a.approver(engine, session.procedure),
		Confirm: confirmer(engine, flags.target.cluster),
	}
	result, err := runner.Run(ctx, session.procedure, options)
	return view.finish(result, err)
}

// approver asks once, before the first write. Without a terminal only --yes is
// a yes.
func (a *app) approver(engine *engineFlags, target interface{ Header() []string }) func(context.Context, runner.Observation, []runner.PlannedStep) error {
	return func(_ context.Context, _ runner.Observation, steps []runner.PlannedStep) error {
		if engine.yes {
			return nil
		}
		if !a.streams.InTerminal {
			return &fault.Error{Class: fault.Declined, Reason: "NoTerminal", Object: "this run",
				Seen: "needs a yes and standard input is no terminal", Fix: "look at `plan`, then add --yes"}
		}
		s := newScreen(a.streams, a.streams.Err)
		for _, line := range target.Header() {
			s.line("%s", line)
		}
		writePlanTable(s, steps)
		fmt.Fprint(a.streams.Err, "Go on? Only \"yes\" is accepted: ")
		answer, err := bufio.NewReader(a.streams.In).ReadString('\n')
		if strings.TrimSpace(answer) == "yes" {
			return nil
		}
		return &fault.Error{Class: fault.Declined, Reason: "Declined", Object: "this run", Seen: "not approved; nothing was written", Err: ignoreEOF(err)}
	}
}

func ignoreEOF(err error) error {
	if err != nil && err.Error() != "EOF" {
		return err
	}
	return nil
}

// confirmer passes an irreversible gate only with the cluster's own name.
func confirmer(engine *engineFlags, cluster string) func(context.Context, runner.Info) error {
	return func(_ context.Context, step runner.Info) error {
		if engine.confirm == cluster {
			return nil
		}
		return &fault.Error{Class: fault.Gate, Reason: "IrreversibleGate", Object: "step " + string(step.ID),
			Seen: "cannot be undone: " + step.Irreversible, Fix: "add --confirm=" + cluster + " to go on"}
	}
}
