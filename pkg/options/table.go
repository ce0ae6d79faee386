package options

import (
	"slices"
	"strings"
	"sync"
)

// Scope is a set of commands that take an option.
type Scope uint32

// Parts of a command's flags. RKE2 and RKE are the commands for one distribution, Either
// those that find it out. Rollout has the flags of every command of a
// MigrationRollout. The others are the flags of one command.
const (
	RKE2 Scope = 1 << iota
	UndoRKE2
	RKE
	UndoRKE
	Either
	Run
	Undo
	Plan
	PlanRKE
	Status
	Verify
	Record
	Report
	List
	Job
	Controller
	Rolling
	Approve
	UpgradePath
	Rollout
	RolloutPlan
	RolloutStatus
	RolloutApprove
	RolloutRetry
)

// Command is a command of the program, and the scope of its flags.
type Command struct {
	Name string // without the program's
	Has  Scope
}

// Commands returns every command with options, in the order of help.
func Commands() []Command {
	return []Command{
		{"rke2", RKE2 | Run}, {"rke2 plan", RKE2 | Plan}, {"rke2 status", RKE2 | Status}, {"rke2 undo", UndoRKE2 | Undo},
		{"rke", RKE | Run}, {"rke plan", RKE | Plan | PlanRKE}, {"rke status", RKE | Status}, {"rke undo", UndoRKE | Undo},
		{"plan", Either | Plan}, {"status", Either | Status}, {"verify", Verify}, {"upgrade-path", UpgradePath}, {"record", Record}, {"report", Report},
		{"list", List}, {"job", Job}, {"controller", Controller}, {"controller rolling", Rolling}, {"approve", Approve},
		{"rollout plan", Rollout | RolloutPlan}, {"rollout status", Rollout | RolloutStatus}, {"rollout approve", Rollout | RolloutApprove},
		{"rollout pause", Rollout}, {"rollout resume", Rollout}, {"rollout retry", Rollout | RolloutRetry},
	}
}

// Table returns every option, in the order of docs/cli.md. A flag has several rows where
// commands describe it differently; the first row of a command's scope is the command's.
func Table() []Option {
	return slices.Concat(inGroup(ClusterGroup, clusters()), inGroup(AccessGroup, access()), inGroup(AccessGroup, identity()),
		inGroup(WorkGroup, installation()), inGroup(WorkGroup, migrations()), inGroup(WorkGroup, audits()), inGroup(WorkGroup, selections()),
		inGroup(RunGroup, runs()), inGroup(RunGroup, views()), inGroup(RunGroup, services()))
}

func inGroup(group Group, rows []Option) []Option {
	for i := range rows {
		rows[i].Group = group
	}
	return rows
}

// For returns the options of a scope, each flag once.
func For(scope Scope) []Option { return slices.Clone(rowsOf(scope)) }

// rows keeps the rows of each scope: every reading of a cluster asks for them, and the table
// does not change.
var rows sync.Map //nolint:gochecknoglobals // a constant for each scope

// rowsOf returns the rows of a scope, which callers must not change.
func rowsOf(scope Scope) []Option {
	if kept, known := rows.Load(scope); known {
		return kept.([]Option)
	}
	var found []Option
	for _, o := range Table() {
		if o.Scope&scope != 0 && !slices.ContainsFunc(found, func(f Option) bool { return f.Flag == o.Flag }) {
			found = append(found, o)
		}
	}
	rows.Store(scope, found)
	return found
}

// Find returns the option of a flag in a scope.
func Find(flag string, scope Scope) (Option, bool) {
	all := rowsOf(scope)
	i := slices.IndexFunc(all, func(o Option) bool { return o.Flag == flag })
	if i < 0 {
		return Option{}, false
	}
	return all[i], true
}

// variant holds the differences between the rows of one flag.
type variant struct {
	scope          Scope
	help, fallback string // fallback is the default
}

// vary returns a row for every variant of an option.
func vary(option Option, variants ...variant) []Option {
	rows := make([]Option, 0, len(variants))
	for _, v := range variants {
		row := option
		row.Scope, row.Help, row.Default = v.scope, v.help, v.fallback
		rows = append(rows, row)
	}
	return rows
}

// Path elements of a ClusterMigration that options share.
const (
	specOptions = "spec.options."
	ccmOptions  = specOptions + "ccm."
	awsOptions  = specOptions + "aws."
)

// Reasons for which a Job does not pass a flag on.
const (
	jobReason    = "the Job sets it; give it to `awsmigrate job`"
	fileReason   = "names a file, which the pod does not have"
	personReason = "is for a person at a terminal"
)

// ObjectWord returns the word of a ClusterMigration for a word of the command line: in
// CamelCase, and Enabled or Disabled where YAML would read a boolean.
func ObjectWord(word string) string {
	switch word {
	case "on", "true":
		return "Enabled"
	case "off", "false":
		return "Disabled"
	}
	var camel strings.Builder
	for part := range strings.SplitSeq(word, "-") {
		camel.WriteString(strings.ToUpper(part[:min(1, len(part))]) + part[min(1, len(part)):])
	}
	return camel.String()
}
