package usage

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/awsmigrate/awsmigrate/internal/cli/checklist"
	"github.com/awsmigrate/awsmigrate/internal/cli/target"
	"github.com/awsmigrate/awsmigrate/internal/inventory"
	"github.com/awsmigrate/awsmigrate/pkg/migration/procedure"
	"github.com/awsmigrate/awsmigrate/pkg/options"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
	"github.com/awsmigrate/awsmigrate/pkg/verify"
	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

// completionOf returns the completion of an option's flag, or nil.
func completionOf(o options.Option) cobra.CompletionFunc {
	switch {
	case len(o.Words) > 0:
		return oneOf(o.Words...)
	case len(o.Offer.Ending) > 0:
		return FilesOf(o.Offer.Ending...)
	}
	return map[options.Vocabulary]cobra.CompletionFunc{
		options.AnyFile: anyFile, options.Steps: stepsOf, options.Checks: checksToMake, options.SkippableChecks: checksToSkip,
		options.Clusters: clusters, options.RKE2Clusters: clustersOf(inventory.RKE2), options.RKEClusters: clustersOf(inventory.RKE),
		options.Namespaces: namespaces, options.Contexts: contexts, options.Profiles: profiles,
	}[o.Offer.Source]
}

// Complete sets the completion of every flag of every command. A flag that takes no file offers
// no files.
func Complete(root *cobra.Command) {
	root.CompletionOptions.SetDefaultShellCompDirective(cobra.ShellCompDirectiveNoFileComp)
	var walk func(*cobra.Command)
	walk = func(cmd *cobra.Command) {
		for _, o := range options.For(ScopeOf(cmd)) {
			if offer := completionOf(o); offer != nil {
				completeFlag(cmd, o.Flag, offer)
			}
		}
		for _, child := range cmd.Commands() {
			walk(child)
		}
	}
	walk(root)
}

// completeFlag sets the completion of one flag.
func completeFlag(cmd *cobra.Command, flag string, offer cobra.CompletionFunc) {
	if f := cmd.Flags().Lookup(flag); f != nil && f.Value.Type() == "stringSlice" {
		offer = listOf(offer)
	}
	_ = cmd.RegisterFlagCompletionFunc(flag, offer) // an unknown flag shows in tests
}

// listOf offers the next word of a comma-separated list, without the words that it already has.
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

// FilesOf offers files with one of the extensions.
func FilesOf(extensions ...string) cobra.CompletionFunc {
	return cobra.FixedCompletions(extensions, cobra.ShellCompDirectiveFilterFileExt)
}

func anyFile(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
	return nil, cobra.ShellCompDirectiveDefault
}

// stepsOf offers the steps of a run or of an undo, in their order.
func stepsOf(cmd *cobra.Command, _ []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
	steps := procedure.StepInfos()
	if cmd.Name() == "undo" {
		steps = procedure.UndoOrder()
	}
	return DescribedSteps(steps), cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveKeepOrder
}

// DescribedSteps returns the IDs of steps with their titles.
func DescribedSteps(steps []runner.Info) []cobra.Completion {
	var words []cobra.Completion
	for _, info := range steps {
		words = append(words, cobra.CompletionWithDesc(string(info.ID), info.Title))
	}
	return words
}

// DescribedChecks returns the IDs of checks with their titles, in order.
func DescribedChecks(suffix string, fits func(verify.Meta) bool) []cobra.Completion {
	var words []cobra.Completion
	for _, meta := range checklist.All() {
		if fits(meta) {
			words = append(words, cobra.CompletionWithDesc(meta.ID+suffix, meta.Title))
		}
	}
	slices.Sort(words)
	return words
}

// EveryCheck selects every check.
func EveryCheck(verify.Meta) bool { return true }

// checksToSkip offers values of --skip, up to the reason.
func checksToSkip(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
	return DescribedChecks("=", verify.Meta.Skippable), cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
}

func checksToMake(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
	words := DescribedChecks("", EveryCheck)
	for _, category := range checklist.Categories() {
		if !strings.Contains(category, ",") { // in a list of words it would be two
			words = append(words, category)
		}
	}
	return words, cobra.ShellCompDirectiveNoFileComp
}

// contexts offers the contexts of the kubeconfig that --kubeconfig or the environment names.
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

// CompletionTimeout limits how long a completion keeps the user waiting.
const CompletionTimeout = 2 * time.Second

// known returns the clusters of the Rancher that cmd's flags reach, if it answers in time. A
// kubeconfig may run a program that ignores the context.
func known(cmd *cobra.Command, namespace string) []inventory.Known {
	ctx, stop := context.WithTimeout(cmd.Context(), CompletionTimeout)
	defer stop()
	answer := make(chan []inventory.Known, 1)
	go func() {
		found, _ := target.RancherOf(cmd.Flags(), namespace, CompletionTimeout).Known(ctx, nil) // silence: a shell shows no error
		answer <- found
	}()
	select {
	case found := <-answer:
		return found
	case <-ctx.Done():
		return nil
	}
}

// clusters offers the clusters of the command's distribution, or of both.
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

// clustersOf offers Rancher's clusters of these distributions. It offers those of RKE by id,
// because several may share a name.
func clustersOf(distributions ...inventory.Distribution) cobra.CompletionFunc {
	return func(cmd *cobra.Command, _ []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
		namespace, _ := cmd.Flags().GetString("namespace") // a command without the flag covers all namespaces
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

// namespaces offers the namespaces that contain a cluster.
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
