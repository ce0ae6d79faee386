package cli

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/awsmigrate/awsmigrate/internal/cli/app"
	"github.com/awsmigrate/awsmigrate/internal/cli/console"
	"github.com/awsmigrate/awsmigrate/internal/cli/target"
	"github.com/awsmigrate/awsmigrate/internal/cli/usage"
	"github.com/awsmigrate/awsmigrate/internal/cli/view"
	"github.com/awsmigrate/awsmigrate/internal/cli/view/runview"
	"github.com/awsmigrate/awsmigrate/internal/inventory"
	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/migration/procedure"
	"github.com/awsmigrate/awsmigrate/pkg/options"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
	"github.com/awsmigrate/awsmigrate/pkg/verify/position"
)

var (
	commandStart = regexp.MustCompile(`(?:kubectl )?awsmigrate (?:rke2|rke|plan|status|verify|record|report|list|job|controller|rollout|explain)\b`)
	shellToken   = regexp.MustCompile(`^ +((?:'[^']*'|\\'|[^\s'"])+)`)
)

// shownCommand is a command on a screen, as far as it can be typed.
type shownCommand struct {
	screen string
	args   []string // without the program
}

func (c shownCommand) String() string {
	return c.screen + ": awsmigrate " + strings.Join(c.args, " ")
}

// commandsOn returns the commands of a screen. Prose that follows a command is no part of it.
func commandsOn(screen, text string) []shownCommand {
	var found []shownCommand
	for _, at := range commandStart.FindAllStringIndex(text, -1) {
		line, _, _ := strings.Cut(text[at[0]:], "\n")
		line = strings.TrimPrefix(strings.TrimPrefix(line, "kubectl "), "awsmigrate")
		root := newRoot(&app.App{})
		cmd, args, inFlags := root, []string(nil), false
		for {
			m := shellToken.FindStringSubmatch(line)
			if m == nil {
				break
			}
			word := strings.ReplaceAll(strings.Trim(strings.TrimRight(m[1], "?),;:"), "'"), `'\''`, "'")
			child := childOf(cmd, word)
			switch {
			case child != nil && !inFlags:
				cmd = child
			case strings.HasPrefix(word, "-") && word != "-":
				inFlags = true
			case inFlags && takesValue(cmd, args[len(args)-1]), (cmd.Name() == "explain" || cmd.Name() == "report") && len(args) == 1:
			default:
				word = ""
			}
			if word == "" {
				break
			}
			args, line = append(args, word), line[len(m[0]):]
		}
		found = append(found, shownCommand{screen, args})
	}
	return found
}

func childOf(cmd *cobra.Command, word string) *cobra.Command {
	for _, child := range cmd.Commands() {
		if child.Name() == word {
			return child
		}
	}
	return nil
}

// takesValue reports whether the next word is the value of a flag.
func takesValue(cmd *cobra.Command, word string) bool {
	name := strings.TrimLeft(word, "-")
	flag := cmd.Flags().Lookup(name)
	if flag == nil && len(name) == 1 {
		flag = cmd.Flags().ShorthandLookup(name)
	}
	return strings.HasPrefix(word, "-") && !strings.Contains(word, "=") && flag != nil && flag.NoOptDefVal == ""
}

// accept parses a command with the real command tree, and returns an error if it is refused before a server
// is asked, or lacks an option of the run.
func (c shownCommand) accept(shaping []target.Option) error {
	root := newRoot(&app.App{Args: c.args})
	cmd, rest, err := root.Find(c.args)
	if err != nil {
		return err
	}
	path := strings.TrimPrefix(cmd.CommandPath(), "awsmigrate ")
	if len(rest) == 0 { // the name of a command
		return nil
	}
	if err := cmd.ParseFlags(rest); err != nil {
		return err
	}
	if help, _ := cmd.Flags().GetBool("help"); help {
		return nil
	}
	if err := errors.Join(cmd.ValidateArgs(cmd.Flags().Args()), usage.CheckGroups(cmd), target.CheckFlags(cmd.Flags(), usage.ScopeOf(cmd))); err != nil {
		return err
	}
	if strings.Contains(strings.Join(c.args, " "), "NAME") { // a usage line
		return nil
	}
	return errors.Join(namesTarget(cmd, path), hasOptions(cmd.Flags(), usage.ScopeOf(cmd), path, shaping))
}

// namesTarget returns an error if a command about one cluster names none.
func namesTarget(cmd *cobra.Command, path string) error {
	if path == "list" || path == "explain" || strings.HasPrefix(path, "controller") || path == "report" && cmd.Flags().NArg() == 1 {
		return nil
	}
	if strings.HasPrefix(path, "rollout") {
		return namesRollout(cmd)
	}
	for _, flag := range []string{"cluster", "config", "kubeconfig", "from"} {
		if given := cmd.Flags().Lookup(flag); given != nil && given.Changed && (flag != "kubeconfig" || path == "verify" || path == "record") {
			return nil
		}
	}
	return errors.New("names no cluster")
}

// namesRollout returns an error if a command about a rollout names none.
func namesRollout(cmd *cobra.Command) error {
	for _, flag := range []string{"name", "file"} {
		if given := cmd.Flags().Lookup(flag); given != nil && given.Changed {
			return nil
		}
	}
	return errors.New("names no rollout")
}

// hasOptions returns an error if a command of a migration lacks an option of the run that it takes.
func hasOptions(flags *pflag.FlagSet, scope options.Scope, path string, shaping []target.Option) error {
	if !strings.HasPrefix(path, "rke") {
		return nil
	}
	for _, o := range shaping {
		if _, takes := options.Find(o.Flag, scope); takes && !flags.Changed(o.Flag) {
			return fmt.Errorf("lacks --%s of the run", o.Flag)
		}
	}
	return nil
}

// shapedRuns are runs with options that shape the migration, as their words hold them.
func shapedRuns() map[string]target.Words {
	option := func(flag, value string) target.Option {
		return target.Option{Flag: flag, Words: []string{"--" + flag + "=" + value}}
	}
	common := []target.Option{option("ccm-image", "registry.example/ccm:v1.26.14"), option("chart", "./chart"), option("hand-over", "early"), option("keep-leader-migration", "true"),
		{Flag: "skip", Words: []string{"--skip=AWSM-112=it's two zones", "--skip=AWSM-113=x"}}, option("values", "own.yaml"), {Flag: "no-etcd-snapshot", Words: []string{"--no-etcd-snapshot"}}}
	return map[string]target.Words{
		"rke2":    {Command: "rke2", Args: []string{"--cluster", "fleet-default/demo", "--kubeconfig", "/home/a b/config"}, Options: append(slices.Clone(common), option("edits", "apply"), option("end-state", "external"))},
		"rke":     {Command: "rke", Args: []string{"--config", "my cluster.yml"}, Options: append(slices.Clone(common), option("rke-binary", "./rke"), option("rke-arg", "--ssh-agent-auth"))},
		"kubectl": {Program: target.Program{"kubectl", "awsmigrate"}, Command: "rke2", Args: []string{"--cluster", "c-m-rp75n57h"}, Options: common},
	}
}

// renderedScreens returns every screen about one cluster that shows a command.
func renderedScreens(t *testing.T, words target.Words) map[string]string {
	t.Helper()
	next, screens := commands(words), map[string]string{}
	add := func(name string, show func(console.Streams)) {
		var out bytes.Buffer
		show(console.Streams{Out: &out, Err: &out, Env: func(string) string { return "" }})
		screens[name] = out.String()
	}
	resume := words.Run() + " --yes"
	bent := func(until journal.StepID) func(*console.Streams, *runner.Options) {
		return func(_ *console.Streams, o *runner.Options) { o.Command, o.Until = resume, until }
	}
	toPause, asked := wholeScript(), wholeScript()
	toPause.list[5].verdicts = []runner.Verdict{{Kind: runner.MustPause, Err: renamed()}}
	ask := make(chan struct{})
	for _, step := range asked.list {
		if step.id == migration.StepSwitch {
			rolls := runner.Verdict{Kind: runner.Waiting, WaitingFor: "every machine", Seen: "configuring", Done: 1, Total: 6, By: migration.ByRancher()}
			step.verdicts, step.reads = repeated(rolls, 3), sync.OnceFunc(func() { close(ask) })
		}
	}
	undone := words
	undone.Undoing = true
	for name, of := range map[string]struct {
		words target.Words
		s     *script
		bend  func(*console.Streams, *runner.Options)
	}{
		"end": {words, wholeScript(), bent("")}, "end of a part": {words, wholeScript(), bent(migration.StepEnable)}, "end of an undo": {undone, wholeScript(), bent("")},
		"stop":            {words, toPause, bent("")},
		"stop on request": {words, asked, func(_ *console.Streams, o *runner.Options) { o.Command, o.Interrupt = resume, ask }},
	} {
		for _, format := range []string{"text", "json", "jsonl"} {
			got := playNamed(t, of.words, of.s, format, of.bend)
			screens[name+" "+format] = got.out + got.err
			if format == "text" && name != "end" && name != "end of a part" && name != "end of an undo" {
				break // a script of verdicts plays once
			}
		}
	}
	seen, err := wholeScript().Judge(migration.Snapshot{})
	if err != nil {
		t.Fatal(err)
	}
	_, _, plan, err := runner.PlanAll[migration.Snapshot](t.Context(), wholeScript(), nil)
	if err != nil {
		t.Fatal(err)
	}
	status := view.NewStatus(wholeScript().Target(), infos(wholeScript()), seen, next)
	add("status", func(s console.Streams) { view.WriteStatus(s, status, time.Time{}) })
	add("status of a run", func(s console.Streams) {
		view.WriteStatus(s, status.WithRun(&runner.Account{ID: "r-1", Command: resume, Life: runner.LifeWorks}, next), time.Time{})
	})
	add("plan", func(s console.Streams) {
		s.OutTerminal = false
		if err := (planDocument{Header: scriptHeader, WholePlan: plan, Next: words.Run()}).write(&app.App{Streams: s, Output: "text"}, procedure.Foreseen{}, false); err != nil {
			t.Error(err)
		}
	})
	add("question", func(s console.Streams) {
		view.WriteQuestion(s, view.Question{Cluster: "demo", Steps: plan.Steps, Next: next})
	})
	add("question of an undo", func(s console.Streams) {
		view.WriteQuestion(s, view.Question{Cluster: "demo", Steps: plan.Steps, Next: commands(undone)})
	})
	add("question of an interrupt", func(s console.Streams) {
		runview.NewRun(runview.Output{Streams: s, Format: "text"}, next).Ask(&runner.Left{By: "Rancher", GoesOn: true, Changed: 1, Total: 6, CanPause: true})
	})
	add("list", func(s console.Streams) {
		row := inventory.Row{Namespace: "fleet-default", Name: "demo", ID: "c-7kq2x", Distribution: inventory.RKE2, State: inventory.Begun, Position: position.P2.String(),
			Runs: []journal.Run{{ID: "r-1", Command: resume}}}
		if words.Command == "rke" {
			row.Distribution = inventory.RKE
		}
		row.Next = (&target.Fleet{}).Next(row, words.Program)
		view.WriteList(s, view.NewList(inventory.Fleet{Rows: []inventory.Row{row}}))
	})
	return screens
}

// helpScreens returns the help of every command.
func helpScreens(t *testing.T) map[string]string {
	t.Helper()
	screens := map[string]string{}
	var walk func(*cobra.Command)
	walk = func(cmd *cobra.Command) {
		screens["help of "+cmd.CommandPath()] = cmd.Long + "\n" + cmd.Example
		for _, child := range cmd.Commands() {
			walk(child)
		}
	}
	walk(newRoot(&app.App{}))
	return screens
}

// Every command that a screen shows is accepted as it is, and a next command has every option that
// shapes the migration.
func TestShownCommands_typedAsShown_accepted(t *testing.T) {
	screens, tried := 0, 0
	try := func(shaping []target.Option, all map[string]string) {
		for name, text := range all {
			screens++
			for _, command := range commandsOn(name, text) {
				tried++
				if err := command.accept(shaping); err != nil {
					t.Errorf("%s: %v", command, err)
				}
			}
		}
	}
	goldens := map[string]string{}
	paths, err := filepath.Glob(filepath.Join("testdata", "*.golden"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		goldens[path] = string(text)
	}
	try(nil, goldens)
	try(nil, helpScreens(t))
	for name, words := range shapedRuns() {
		rendered := map[string]string{}
		for screen, text := range renderedScreens(t, words) {
			rendered[name+", "+screen] = text
			if len(commandsOn(screen, text)) == 0 && screen != "question of an undo" {
				t.Errorf("%s, %s shows no command:\n%s", name, screen, text)
			}
		}
		listed := map[string]string{name + ", list": rendered[name+", list"]}
		delete(rendered, name+", list")
		try(words.Options, rendered)
		try(slices.DeleteFunc(slices.Clone(words.Options), func(o target.Option) bool { // list was not given them; paths of programs are not of the run
			row, _ := options.Find(o.Flag, options.RKE2|options.RKE)
			return !row.Shapes()
		}), listed)
	}
	t.Logf("%d screens, %d commands", screens, tried)
	if screens < 130 || tried < 210 {
		t.Errorf("only %d screens and %d commands were tried", screens, tried)
	}
}

// A wrong command on a screen is found.
func TestShownCommands_wrong_found(t *testing.T) {
	shaping := []target.Option{{Flag: "ccm-image", Words: []string{"--ccm-image=registry.example/ccm:v1"}}, {Flag: "keep-leader-migration", Words: []string{"--keep-leader-migration"}}}
	for text, wrong := range map[string]bool{
		"next   awsmigrate rke2 --cluster demo --ccm-image=registry.example/ccm:v1 --keep-leader-migration": false,
		"next   awsmigrate rke2 --cluster demo":                                                                  true, // the options of the run
		"next   awsmigrate rke2 --cluster demo --ccm-image=registry.example/ccm:v1":                              true, // one of them
		"back:  awsmigrate rke2 undo --cluster demo --ccm-image=registry.example/ccm:v1":                         false,
		"back:  awsmigrate rke2 undo --cluster demo --ccm-image=registry.example/ccm:v1 --keep-leader-migration": true,
		"record awsmigrate report --config cluster.yml --rke-binary ./rke --run r-1":                             true,
		"fix    awsmigrate rke2 plan --config cluster.yml":                                                       true,
		"fix    awsmigrate list --downstream-kubeconfig x":                                                       true,
		"fix    awsmigrate list --namespace x, which":                                                            false,
		"fix    awsmigrate status --watch":                                                                       true, // no cluster
		"fix    awsmigrate status --cluster a/b/c":                                                               true,
		"fix    awsmigrate plan --cluster a/b -n c":                                                              true,
		"fix    awsmigrate rke2 plan --cluster demo --hand-over soon --ccm-image=x --keep-leader-migration":      true,
		"look:  awsmigrate explain":                                                                              false, // a name
		`"next": "kubectl awsmigrate rke2 undo --cluster 'it'\''s' --ccm-image=x takes everything back"`:         false,
	} {
		found := commandsOn("a screen", text)
		if len(found) != 1 {
			t.Fatalf("%s: %v", text, found)
		}
		if err := found[0].accept(shaping); (err != nil) != wrong {
			t.Errorf("%s: read as %v: %v", text, found[0], err)
		}
	}
}
