package cli

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/awsmigrate/awsmigrate/internal/access"
	"github.com/awsmigrate/awsmigrate/internal/cli/target"
	"github.com/awsmigrate/awsmigrate/internal/cli/view/runview"
	"github.com/awsmigrate/awsmigrate/internal/inventory"
	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/migration/procedure"
	"github.com/awsmigrate/awsmigrate/pkg/rke2/handoff"
	"github.com/awsmigrate/awsmigrate/pkg/rke2/rke2checks"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
	"github.com/awsmigrate/awsmigrate/pkg/verify"
	"github.com/awsmigrate/awsmigrate/pkg/verify/position"
	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

// flagValues are what a shell offers behind flags, by their names: a name means the same
// on every command. The formats of -o are each command's own.
func flagValues() map[string]cobra.CompletionFunc {
	return map[string]cobra.CompletionFunc{
		"access":         oneOf(access.Purposes()...),
		"aws":            oneOf("auto", "on", "off"),
		"cloud-routes":   oneOf("on", "off"),
		"hand-over":      oneOf("natural", "early", "clear"),
		"distribution":   oneOf(names(wellknown.RKE2, wellknown.RKE)...),
		"edits":          oneOf("apply", "handoff"),
		"end-state":      oneOf(names(rke2checks.EndAuto, rke2checks.EndExternal, rke2checks.EndOverrides)...),
		"fail-on":        oneOf("failure", "warning"),
		"handoff":        oneOf(names(handoff.Forms()...)...),
		"install-method": oneOf(names(migration.InstallHelm, migration.InstallManifest)...),
		"mode":           oneOf("audit", "migrate"),
		"on-failure":     oneOf("stop", "undo"),
		"owner-informed": oneOf(migration.OwnerWords()...),
		"progress":       oneOf(names(runview.ProgressBoard, runview.ProgressPlain, runview.ProgressNone)...),

		"skip":  checksToSkip,
		"only":  checksToMake,
		"step":  stepsOf,
		"until": stepsOf,

		"context":    contexts,
		"cluster":    clusters,
		"clusters":   clustersOf(inventory.RKE2),
		"rke":        clustersOf(inventory.RKE),
		"namespace":  namespaces,
		"namespaces": namespaces,
		"profile":    profiles,

		"config":                filesOf("yml", "yaml"),
		"values":                filesOf("yaml", "yml"),
		"plan":                  filesOf("json"),
		"chart":                 anyFile, // or a directory
		"cloud-config":          anyFile,
		"downstream-kubeconfig": anyFile,
		"dump":                  anyFile,
		"from":                  anyFile,
		"kubeconfig":            anyFile,
		"record":                anyFile,
		"report":                filesOf("html", "md"),
		"rke-binary":            anyFile,
	}
}

// freeText are the flags behind which a shell offers nothing, with the reason.
func freeText() map[string]string {
	const (
		duration = "a duration"
		ofAWS    = "what AWS knows, and a shell does not ask it"
		ofObject = "an object whose name nobody else has to be allowed to list"
	)
	return map[string]string{
		"audit-interval": duration, "deadline": duration, "for": duration, "request-timeout": duration, "timeout": duration, "watch": duration,
		"notify-exec":     "a command of the user's own",
		"assumable-roles": ofAWS, "assume-role": ofAWS, "external-id": ofAWS, "region": ofAWS, "role-session-name": "a name that the user gives",
		"aws-secret": ofObject, "cloud-config-secret": ofObject, "downstream-secret": ofObject, "service-account-name": ofObject,
		"run":       "the record alone knows the runs",
		"ccm-image": "an image", "image": "an image",
		"confirm":            "typed by hand on purpose: it passes a gate without a way back",
		"kubernetes-version": "which releases there are, Rancher's metadata says, and not one list",
		"listen":             "an address", "max-concurrent": "a number", "reason": "words for a report", "rke-arg": "an argument of rke",
	}
}

// complete gives every command what a shell offers for its flags. What is no file
// offers no file.
func complete(root *cobra.Command) {
	root.CompletionOptions.SetDefaultShellCompDirective(cobra.ShellCompDirectiveNoFileComp)
	values := flagValues()
	var walk func(*cobra.Command)
	walk = func(cmd *cobra.Command) {
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			if offer := values[f.Name]; offer != nil {
				completeFlag(cmd, f.Name, offer)
			}
		})
		for _, child := range cmd.Commands() {
			walk(child)
		}
	}
	walk(root)
}

// completeFlag says what a shell offers behind a flag.
func completeFlag(cmd *cobra.Command, flag string, offer cobra.CompletionFunc) {
	if f := cmd.Flags().Lookup(flag); f != nil && f.Value.Type() == "stringSlice" {
		offer = listOf(offer)
	}
	_ = cmd.RegisterFlagCompletionFunc(flag, offer) // an unknown flag shows in tests
}

// listOf offers the next word of a list with commas, without those it has.
func listOf(offer cobra.CompletionFunc) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
		have := typed[:strings.LastIndex(typed, ",")+1]
		words, directive := offer(cmd, args, typed[len(have):])
		var offered []cobra.Completion
		for _, word := range words {
			name, _, _ := strings.Cut(word, "\t")
			if !slices.Contains(strings.Split(have, ","), name) {
				offered = append(offered, have+word)
			}
		}
		return offered, directive | cobra.ShellCompDirectiveNoSpace
	}
}

// oneOf offers fixed words.
func oneOf(words ...string) cobra.CompletionFunc {
	return cobra.FixedCompletions(words, cobra.ShellCompDirectiveNoFileComp|cobra.ShellCompDirectiveKeepOrder)
}

// filesOf offers files by what their names end with.
func filesOf(extensions ...string) cobra.CompletionFunc {
	return cobra.FixedCompletions(extensions, cobra.ShellCompDirectiveFilterFileExt)
}

func anyFile(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
	return nil, cobra.ShellCompDirectiveDefault
}

// stepsOf offers the steps of a run, or of an undo, in their order.
func stepsOf(cmd *cobra.Command, _ []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
	engine := engineFlags{undo: cmd.Name() == "undo"}
	return describedSteps(engine.steps()), cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveKeepOrder
}

func describedSteps(steps []runner.Info) []cobra.Completion {
	var words []cobra.Completion
	for _, info := range steps {
		words = append(words, cobra.CompletionWithDesc(string(info.ID), info.Title))
	}
	return words
}

// describedChecks are the IDs of checks, in their order.
func describedChecks(suffix string, fits func(verify.Meta) bool) []cobra.Completion {
	var words []cobra.Completion
	for _, meta := range target.AllChecks() {
		if fits(meta) {
			words = append(words, cobra.CompletionWithDesc(meta.ID+suffix, meta.Title))
		}
	}
	slices.Sort(words)
	return words
}

func everyCheck(verify.Meta) bool { return true }

// checksToSkip offers what --skip takes, up to the reason.
func checksToSkip(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
	return describedChecks("=", verify.Meta.Skippable), cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
}

func checksToMake(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
	words := describedChecks("", everyCheck)
	for _, category := range target.Categories() {
		if !strings.Contains(category, ",") { // in a list of words it would be two
			words = append(words, category)
		}
	}
	return words, cobra.ShellCompDirectiveNoFileComp
}

// explainable offers what can be explained: reasons, of which there are many, once
// something is typed.
func explainable(_ *cobra.Command, args []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	words := describedSteps(slices.Concat(procedure.StepInfos(), procedure.UndoStepInfos()))
	for _, p := range position.All() {
		words = append(words, cobra.CompletionWithDesc(p.String(), p.Summary()))
	}
	words = append(words, describedChecks("", everyCheck)...)
	if typed != "" {
		words = append(words, reasons()...)
	}
	return words, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveKeepOrder
}

// contexts offers those of the kubeconfig that --kubeconfig or the environment names.
func contexts(cmd *cobra.Command, _ []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
	var words []cobra.Completion
	for _, c := range target.Contexts(cmd.Flags()) {
		words = append(words, cobra.CompletionWithDesc(c.Name, c.Host))
	}
	return words, cobra.ShellCompDirectiveNoFileComp
}

func profiles(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
	return target.Profiles(), cobra.ShellCompDirectiveNoFileComp
}

// shellWaits is how long somebody waits who has pressed a key for a completion.
const shellWaits = 2 * time.Second

// known are the clusters of the Rancher that the flags of cmd reach, if it answers
// in time. A kubeconfig may run a program that heeds no context.
func known(cmd *cobra.Command, namespace string) []inventory.Known {
	ctx, stop := context.WithTimeout(cmd.Context(), shellWaits)
	defer stop()
	answer := make(chan []inventory.Known, 1)
	go func() {
		found, _ := target.RancherOf(cmd.Flags(), namespace, shellWaits).Known(ctx, nil) // silence: a shell shows no error
		answer <- found
	}()
	select {
	case found := <-answer:
		return found
	case <-ctx.Done():
		return nil
	}
}

// clusters offers those of the distribution that a command is for, else of both.
func clusters(cmd *cobra.Command, args []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
	chosen, _ := cmd.Flags().GetString("distribution")
	is := func(d wellknown.Distribution) bool {
		return chosen == string(d) || cmd.Name() == string(d) || cmd.HasParent() && cmd.Parent().Name() == string(d)
	}
	switch {
	case is(wellknown.RKE2):
		return clustersOf(inventory.RKE2)(cmd, args, typed)
	case is(wellknown.RKE):
		return clustersOf(inventory.RKE)(cmd, args, typed)
	}
	return clustersOf(inventory.RKE2, inventory.RKE)(cmd, args, typed)
}

// clustersOf offers the clusters of Rancher of these distributions: those of RKE by
// their ids, since several may have one name.
func clustersOf(distributions ...inventory.Distribution) cobra.CompletionFunc {
	return func(cmd *cobra.Command, _ []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
		namespace, _ := cmd.Flags().GetString("namespace") // a command without it is for all
		var words []cobra.Completion
		for _, c := range known(cmd, namespace) {
			name, what := c.Name, string(c.Distribution)+" "+c.Version
			if c.Distribution == inventory.RKE {
				name, what = c.ID, c.DisplayName+", "+what
			}
			if slices.Contains(distributions, c.Distribution) {
				words = append(words, cobra.CompletionWithDesc(name, what))
			}
		}
		return words, cobra.ShellCompDirectiveNoFileComp
	}
}

// namespaces offers those that hold a cluster.
func namespaces(cmd *cobra.Command, _ []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
	var words []cobra.Completion
	for _, c := range known(cmd, "") {
		if !slices.Contains(words, c.Namespace) {
			words = append(words, c.Namespace)
		}
	}
	slices.Sort(words)
	return words, cobra.ShellCompDirectiveNoFileComp
}

func names[T ~string](values ...T) []string {
	list := make([]string, len(values))
	for i, value := range values {
		list[i] = string(value)
	}
	return list
}
