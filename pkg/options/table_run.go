package options

import "slices"

// runs returns the options that steer one run.
func runs() []Option {
	const duration = "a duration"
	return slices.Concat(
		[]Option{
			{Flag: "yes", Short: "y", Scope: Run | Undo, Kind: Switch, NotInJob: jobReason, NotInObject: "spec.approvedPlan", Help: "do not ask before the first write"},
			{Flag: "yes", Short: "y", Scope: Approve | RolloutApprove, Kind: Switch, Help: "do not ask before the approval"},
			{Flag: "dry-run", Scope: Run | Undo, Kind: Switch, NotInJob: personReason, NotInObject: "goal Audit", Help: "show what a run would do and write nothing"},
			{Flag: "confirm", Scope: Run, Offer: Offer{Free: "typed by hand on purpose: it passes a gate without a way back"}, NotInObject: "nothing without a way back is done",
				Help: "the cluster's name, to pass irreversible gates"},
			{Flag: "on-failure", Scope: Run, Words: []string{"stop", "undo"}, Default: "stop", NotInJob: personReason, NotInObject: "a failure waits for a person",
				Help: "stop and print how to continue, or undo to where the migration began"},
			{Flag: "timeout", Scope: Run | Undo, Kind: Duration, Default: "15m", Min: "1ns", Path: specOptions + "timeout", Offer: Offer{Free: duration}, Help: "longest time without progress"},
			{Flag: "deadline", Scope: Run | Undo, Kind: Duration, Min: "0s", Offer: Offer{Free: duration}, NotInObject: "windows decide when a block begins, and nothing interrupts it",
				Help: "longest time for the whole run (default: none)"},
		},
		vary(Option{Flag: "progress", Words: []string{"board", "plain", "none"}, NotInJob: personReason, NotInObject: "a controller has no terminal"},
			variant{Run | Undo, "what a run shows while it works (default: board where standard error is a terminal, TERM is not dumb and CI is not set, else plain)", ""},
			variant{Status, "with --watch, as for a run", ""}),
		[]Option{
			{Flag: "verbose", Short: "v", Scope: Run | Undo, Kind: Switch, NotInJob: personReason, NotInObject: "a controller has no terminal",
				Help: "with a board: all output of rke above it, not only its last line"},
		},
		vary(Option{Flag: "record", Offer: Offer{Source: AnyFile}, NotInJob: personReason, NotInObject: "a pod keeps no files"},
			variant{Run | Undo, "record the cloud controllers and the steps in this new file, for report", ""},
			variant{Record, "write the record to this new file", ""}),
		[]Option{
			{Flag: "report", Scope: Run | Undo, Offer: Offer{Ending: []string{"html", "md"}}, NotInJob: personReason, NotInObject: "a pod keeps no files",
				Help: "write the report of the run to this new file at its end: .html or .md"},
			{Flag: "notify-exec", Scope: Run | Undo, Offer: Offer{Free: "a command of the user's own"}, NotInJob: personReason, NotInObject: "alerts are for that",
				Help: "`COMMAND` of a shell, to run when the run asks whether to begin and when it has ended; AWSMIGRATE_NOTICE says which: question or end"},
		})
}

// views returns the options that say what a command shows.
func views() []Option {
	const duration = "a duration"
	return slices.Concat(
		[]Option{
			{Flag: "detailed-exitcode", Scope: Plan, Kind: Switch, Help: "exit 0: nothing left to do, 5: steps are pending, 3: the checks would stop the run, 10: something could not be checked"},
			{Flag: "detailed-exitcode", Scope: UpgradePath, Kind: Switch, Help: "exit 0: at the target, 5: upgrades are left and nothing stops them, 3: something stops the cluster, 10: something could not be checked"},
			{Flag: "diff", Scope: Plan, Kind: Switch, Help: "show the lines of every object, also of those that Helm installs"},
			{Flag: "exit-code", Scope: Status, Kind: Switch, Help: "exit 5 if a step is still to do"},
			{Flag: "history", Scope: Status, Kind: Switch, Help: "list the runs and undos in the journal: who, when, and how each ended"},
			{Flag: "watch", Scope: Status, Kind: Switch, Help: "follow the run, wherever it runs, or a rollout without one, until it ends; writes nothing"},
			{Flag: "watch", Scope: RolloutStatus, Kind: Switch, Help: "print a line for each change until the rollout succeeds; writes nothing"},
			{Flag: "watch", Scope: Verify, Kind: Duration, Min: "0s", Offer: Offer{Free: duration}, Help: "look again this often and show what changed, until interrupted"},
			{Flag: "dump", Scope: Verify, Offer: Offer{Source: AnyFile}, Help: "save what was read, redacted, to this file"},
			{Flag: "access", Scope: Verify, Words: []string{"audit", "run"}, Bare: "audit",
				Help: "instead of checking, list the rights, servers and credentials that an audit lacks, or a run and its undo, and print manifests that grant them"},
			{Flag: "for", Scope: Record, Kind: Duration, Min: "0s", Offer: Offer{Free: duration}, Help: "end after this long (default: at Ctrl-C)"},
			{Flag: "reason", Scope: Record, Offer: Offer{Free: "words for a report"}, Help: "why you record, in a few words for the report"},
			{Flag: "run", Scope: Report, Offer: Offer{Free: "only the record has the runs"}, Help: "the record of one run, by its `ID`, or last"},
		})
}

// services returns the options of the Job and of the controller.
func services() []Option {
	return []Option{
		{Flag: "image", Scope: Job, Offer: Offer{Free: "an image"}, Help: "image of awsmigrate (required: none is published yet)"},
		{Flag: "suspend", Scope: Job, Kind: Switch, Help: "make the Job without starting it"},
		{Flag: "mode", Scope: Controller, Words: []string{"audit", "migrate"}, Default: "audit", Help: "whether steps may begin"},
		{Flag: "max-concurrent", Scope: Controller, Kind: Number, Default: "5", Min: "1", Offer: Offer{Free: "a number"}, Help: "maximum number of concurrent runs; watching rollouts has no limit"},
		{Flag: "audit-interval", Scope: Controller, Kind: Duration, Default: "24h", Min: "1m", Offer: Offer{Free: "a duration"}, Help: "time between two audits of a cluster"},
		{Flag: "listen", Scope: Controller, Offer: Offer{Free: "an address"}, Help: "address for /healthz, /readyz and /metrics, such as :8080 (default: none)"},
		{Flag: "leader-elect", Scope: Controller, Kind: Switch, Default: "true", Help: "decide only while holding the Lease of the election"},
	}
}
