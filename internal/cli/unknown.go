package cli

import (
	"cmp"
	"errors"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/options"
	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

// flagError returns the error for a flag that cannot be parsed. Flags of an unknown command are unknown
// as well, so the command is judged first.
func (a *app) flagError(cmd *cobra.Command, err error) error {
	if word := cmd.Flags().Arg(0); word != "" && cmd.HasAvailableSubCommands() {
		return a.unknownCommand(cmd, word)
	}
	var missing *pflag.NotExistError
	if !errors.As(err, &missing) {
		return valueError(err, scopeOf(cmd))
	}
	if short := missing.GetSpecifiedShortnames(); short != "" {
		fix := ""
		if word, _, _ := strings.Cut(short, "="); cmd.Flags().Lookup(word) != nil { // one dash of two
			fix = "did you mean --" + word + "?"
		}
		return &fault.Error{Class: fault.Usage, Reason: "UnknownFlag", Object: "flag -" + missing.GetSpecifiedName(), Seen: "there is no such flag of " + cmd.CommandPath(),
			Fix: addHelp(cmd, fix)}
	}
	return a.unknownFlag(cmd, missing.GetSpecifiedName())
}

// unknownFlag suggests the intended flag, or the command that has it.
func (a *app) unknownFlag(cmd *cobra.Command, name string) error {
	var known []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) { known = append(known, "--"+f.Name) })
	word := "--" + name
	fix := fault.DidYouMean(word, known)
	if moved := a.elsewhere(cmd, name); moved != "" {
		fix = moved
	}
	return &fault.Error{Class: fault.Usage, Reason: "UnknownFlag", Object: "flag " + word, Seen: "there is no such flag of " + cmd.CommandPath(),
		Fix: addHelp(cmd, fix)}
}

// elsewhere returns the typed command with a flag where it belongs, or is empty: with the other distribution,
// behind the -- of a job, or after a command.
func (a *app) elsewhere(cmd *cobra.Command, name string) string {
	if !cmd.HasParent() {
		for _, arg := range a.args {
			if fix := fault.DidYouMean(arg, childNames(cmd)); fix != "" && !strings.HasPrefix(arg, "-") {
				return fix
			}
		}
		return ""
	}
	if cmd.Name() == "job" {
		return a.behindDashes(name)
	}
	for _, kinds := range [][2]string{{"rke", "rke2"}, {"rke2", "rke"}} {
		of, other := kinds[0], kinds[1]
		at := slices.Index(a.args, of)
		if at < 0 {
			continue
		}
		args := slices.Clone(a.args)
		args[at] = other
		if found, _, err := cmd.Root().Find(args); err == nil && found.Flags().Lookup(name) != nil && found.Name() == strings.Replace(cmd.Name(), of, other, 1) {
			return a.typed.Line(args...)
		}
	}
	return ""
}

// behindDashes returns the typed job with the flags of its run behind --, why it cannot have the flag, or
// "" for an unknown one.
func (a *app) behindDashes(name string) string {
	const run = options.RKE2 | options.RKE | options.Run
	switch o, known := options.Find(name, run); {
	case !known:
		return ""
	case o.NotInJob != "":
		return "leave it out: " + o.NotInJob
	}
	args, passed := a.args, []string(nil)
	if at := slices.Index(a.args, "--"); at >= 0 {
		args, passed = a.args[:at], a.args[at+1:]
	}
	var own, moved []string
	for i := 0; i < len(args); i++ {
		flag, _, joined := strings.Cut(strings.TrimPrefix(args[i], "--"), "=")
		o, ofRun := options.Find(flag, run)
		if _, ofJob := options.Find(flag, options.Job); !strings.HasPrefix(args[i], "--") || ofJob || !ofRun {
			own = append(own, args[i])
			continue
		}
		moved = append(moved, args[i])
		if !joined && o.Kind != options.Switch && i+1 < len(args) {
			i++
			moved = append(moved, args[i])
		}
	}
	return a.typed.Line(slices.Concat(own, []string{"--"}, moved, passed)...)
}

// unknownCommand returns the error for a word in place of one of cmd's commands.
func (a *app) unknownCommand(cmd *cobra.Command, word string) error {
	fix := cmp.Or(outside(word), fault.DidYouMean(word, childNames(cmd)), a.elsewhereCommand(cmd, word), a.asTarget(cmd, word))
	return &fault.Error{Class: fault.Usage, Reason: "UnknownCommand", Object: "\"" + word + "\"", Seen: "there is no such command of " + cmd.CommandPath(),
		Wanted: "one of " + strings.Join(childNames(cmd), ", "), Fix: addHelp(cmd, fix)}
}

// outside returns the program that does what a word asks for, or "".
func outside(word string) string {
	if word != "log" && word != "logs" {
		return ""
	}
	return "kubectl -n cattle-awsmigrate-system logs -l app.kubernetes.io/component=controller --tail=-1 -f, for the controller; " +
		"kubectl -n fleet-default logs -f job/awsmigrate-NAME, for the job of cluster NAME"
}

// elsewhereCommand returns the typed command with the intended command in place of a word: a command of a
// distribution, or a word of other programs. It is empty for other words.
func (a *app) elsewhereCommand(cmd *cobra.Command, word string) string {
	at := slices.Index(a.args, word)
	if cmd.HasParent() || at < 0 {
		return ""
	}
	distribution := string(wellknown.RKE2)
	if slices.ContainsFunc(a.args, func(arg string) bool { return arg == "--config" || strings.HasPrefix(arg, "--config=") }) {
		distribution = string(wellknown.RKE)
	}
	var meant []string
	switch word {
	case "undo", "rollback", "revert":
		meant = []string{distribution, "undo"}
	case "run", "apply", "migrate", "start", "resume", "upgrade":
		meant = []string{distribution}
	case "check", "audit", "preflight", "doctor":
		meant = []string{"verify"}
	case "clusters", "get", "ls":
		meant = []string{"list"}
	default:
		return ""
	}
	return "did you mean " + a.typed.Line(slices.Concat(a.args[:at], meant, a.args[at+1:])...) + "?"
}

func childNames(cmd *cobra.Command) []string {
	var names []string
	for _, child := range cmd.Commands() {
		if child.IsAvailableCommand() {
			names = append(names, child.Name())
		}
	}
	return names
}

// asTarget returns the typed command with a word as the name of its cluster, or "" if the cluster is named
// already.
func (a *app) asTarget(cmd *cobra.Command, word string) string {
	flag := "cluster"
	if ending := filepath.Ext(word); ending == ".yml" || ending == ".yaml" {
		flag = "config"
	}
	args, at := slices.Clone(a.args), slices.Index(a.args, word)
	if flag == "config" && cmd.Flags().Lookup(flag) == nil { // a cluster.yml is of RKE
		if of := slices.Index(args, string(wellknown.RKE2)); of >= 0 {
			args[of] = string(wellknown.RKE)
		}
	} else if known := cmd.Flags().Lookup(flag); known == nil || known.Changed {
		return ""
	}
	if at < 0 {
		return ""
	}
	return "did you mean " + a.typed.Line(slices.Concat(args[:at], []string{"--" + flag, word}, args[at+1:])...) + "?"
}

// addHelp adds the help command to a fix.
func addHelp(cmd *cobra.Command, fix string) string {
	if fix != "" {
		return fix
	}
	return cmd.CommandPath() + " --help"
}

// usageErrors turns cobra's argument errors into usage errors, and suggests the intended command.
func (a *app) usageErrors(cmd *cobra.Command) {
	if check := cmd.Args; check != nil {
		cmd.Args = func(c *cobra.Command, args []string) error {
			err := check(c, args)
			if err == nil {
				return nil
			}
			if len(args) > 0 && c.HasAvailableSubCommands() {
				return a.unknownCommand(c, args[0])
			}
			return a.argumentError(c, args)
		}
	}
	for _, child := range cmd.Commands() {
		a.usageErrors(child)
	}
}

// argumentError returns the error for missing arguments, or for words that no flag precedes.
func (a *app) argumentError(cmd *cobra.Command, args []string) error {
	f := &fault.Error{Class: fault.Usage, Reason: "Usage", Object: cmd.CommandPath(), Seen: "needs an argument", Wanted: cmd.UseLine()}
	if len(args) > 0 {
		extra := args[len(args)-1]
		f.Object, f.Seen, f.Fix = "argument \""+extra+"\"", "is not one of "+cmd.CommandPath(), addHelp(cmd, "")
		if len(args) == 1 {
			f.Fix = addHelp(cmd, a.asTarget(cmd, extra))
		}
	}
	return f
}

// exclusive is the annotation by which cobra knows flags that exclude one another.
const exclusive = "cobra_annotation_mutually_exclusive"

// checkGroups returns an error if flags were given that exclude one another.
func checkGroups(cmd *cobra.Command) error {
	if cmd.ValidateFlagGroups() == nil {
		return nil
	}
	var given []string
	cmd.Flags().Visit(func(f *pflag.Flag) {
		if len(f.Annotations[exclusive]) > 0 {
			given = append(given, "--"+f.Name)
		}
	})
	return &fault.Error{Class: fault.Usage, Reason: "Usage", Object: "flags " + strings.Join(given, ", "), Seen: "given together", Wanted: "one of them"}
}
