package usage

import (
	"cmp"
	"errors"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/awsmigrate/awsmigrate/internal/cli/app"
	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/options"
	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

// FlagError returns the error for a flag that cannot be parsed. Flags of an unknown command are unknown
// as well, so the command is judged first.
func FlagError(a *app.App, cmd *cobra.Command, err error) error {
	if word := cmd.Flags().Arg(0); word != "" && cmd.HasAvailableSubCommands() {
		return unknownCommand(a, cmd, word)
	}
	var missing *pflag.NotExistError
	if !errors.As(err, &missing) {
		return ValueError(err, ScopeOf(cmd))
	}
	if short := missing.GetSpecifiedShortnames(); short != "" {
		fix := ""
		if word, _, _ := strings.Cut(short, "="); cmd.Flags().Lookup(word) != nil { // one dash of two
			fix = "did you mean --" + word + "?"
		}
		return &fault.Error{Class: fault.Usage, Reason: "UnknownFlag", Object: "flag -" + missing.GetSpecifiedName(), Seen: "there is no such flag of " + cmd.CommandPath(),
			Fix: addHelp(cmd, fix)}
	}
	return unknownFlag(a, cmd, missing.GetSpecifiedName())
}

// unknownFlag suggests the intended flag, or the command that has it.
func unknownFlag(a *app.App, cmd *cobra.Command, name string) error {
	var known []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) { known = append(known, "--"+f.Name) })
	word := "--" + name
	fix := fault.DidYouMean(word, known)
	if moved := elsewhere(a, cmd, name); moved != "" {
		fix = moved
	}
	return &fault.Error{Class: fault.Usage, Reason: "UnknownFlag", Object: "flag " + word, Seen: "there is no such flag of " + cmd.CommandPath(),
		Fix: addHelp(cmd, fix)}
}

// elsewhere returns the typed command with a flag where it belongs, or is empty: with the other distribution,
// behind the -- of a job, or after a command.
func elsewhere(a *app.App, cmd *cobra.Command, name string) string {
	if !cmd.HasParent() {
		for _, arg := range a.Args {
			if fix := fault.DidYouMean(arg, childNames(cmd)); fix != "" && !strings.HasPrefix(arg, "-") {
				return fix
			}
		}
		return ""
	}
	if cmd.Name() == "job" {
		return behindDashes(a, name)
	}
	for _, kinds := range [][2]string{{"rke", "rke2"}, {"rke2", "rke"}} {
		of, other := kinds[0], kinds[1]
		at := slices.Index(a.Args, of)
		if at < 0 {
			continue
		}
		args := slices.Clone(a.Args)
		args[at] = other
		if found, _, err := cmd.Root().Find(args); err == nil && found.Flags().Lookup(name) != nil && found.Name() == strings.Replace(cmd.Name(), of, other, 1) {
			return a.Typed.Line(args...)
		}
	}
	return ""
}

// behindDashes returns the typed job with the flags of its run behind --, why it cannot have the flag, or
// "" for an unknown one.
func behindDashes(a *app.App, name string) string {
	const run = options.RKE2 | options.RKE | options.Run
	switch o, known := options.Find(name, run); {
	case !known:
		return ""
	case o.NotInJob != "":
		return "leave it out: " + o.NotInJob
	}
	args, passed := a.Args, []string(nil)
	if at := slices.Index(a.Args, "--"); at >= 0 {
		args, passed = a.Args[:at], a.Args[at+1:]
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
	return a.Typed.Line(slices.Concat(own, []string{"--"}, moved, passed)...)
}

// unknownCommand returns the error for a word in place of one of cmd's commands.
func unknownCommand(a *app.App, cmd *cobra.Command, word string) error {
	fix := cmp.Or(outside(word), fault.DidYouMean(word, childNames(cmd)), elsewhereCommand(a, cmd, word), asTarget(a, cmd, word))
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
func elsewhereCommand(a *app.App, cmd *cobra.Command, word string) string {
	at := slices.Index(a.Args, word)
	if cmd.HasParent() || at < 0 {
		return ""
	}
	distribution := string(wellknown.RKE2)
	if slices.ContainsFunc(a.Args, func(arg string) bool { return arg == "--config" || strings.HasPrefix(arg, "--config=") }) {
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
	return "did you mean " + a.Typed.Line(slices.Concat(a.Args[:at], meant, a.Args[at+1:])...) + "?"
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
func asTarget(a *app.App, cmd *cobra.Command, word string) string {
	flag := "cluster"
	if ending := filepath.Ext(word); ending == ".yml" || ending == ".yaml" {
		flag = "config"
	}
	args, at := slices.Clone(a.Args), slices.Index(a.Args, word)
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
	return "did you mean " + a.Typed.Line(slices.Concat(args[:at], []string{"--" + flag, word}, args[at+1:])...) + "?"
}

// addHelp adds the help command to a fix.
func addHelp(cmd *cobra.Command, fix string) string {
	if fix != "" {
		return fix
	}
	return cmd.CommandPath() + " --help"
}

// RefuseArguments turns cobra's argument errors into usage errors, and suggests the intended command.
func RefuseArguments(a *app.App, cmd *cobra.Command) {
	if check := cmd.Args; check != nil {
		cmd.Args = func(c *cobra.Command, args []string) error {
			err := check(c, args)
			if err == nil {
				return nil
			}
			if len(args) > 0 && c.HasAvailableSubCommands() {
				return unknownCommand(a, c, args[0])
			}
			return argumentError(a, c, args)
		}
	}
	for _, child := range cmd.Commands() {
		RefuseArguments(a, child)
	}
}

// argumentError returns the error for missing arguments, or for words that no flag precedes.
func argumentError(a *app.App, cmd *cobra.Command, args []string) error {
	f := &fault.Error{Class: fault.Usage, Reason: "Usage", Object: cmd.CommandPath(), Seen: "needs an argument", Wanted: cmd.UseLine()}
	if len(args) > 0 {
		extra := args[len(args)-1]
		f.Object, f.Seen, f.Fix = "argument \""+extra+"\"", "is not one of "+cmd.CommandPath(), addHelp(cmd, "")
		if len(args) == 1 {
			f.Fix = addHelp(cmd, asTarget(a, cmd, extra))
		}
	}
	return f
}

// exclusive is the annotation by which cobra knows flags that exclude one another.
const exclusive = "cobra_annotation_mutually_exclusive"

// CheckGroups returns an error if flags were given that exclude one another.
func CheckGroups(cmd *cobra.Command) error {
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
