// Command seeded breaks each promise once, on purpose, and checks that the tests notice. An
// overlay compiles all breaks into one set of test binaries, each behind a switch, so the sources
// stay unchanged. The command prints a score, and exits with 1 unless every break was caught. Run
// it in the folder test.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/awsmigrate/awsmigrate/internal/testing/defect"
	"github.com/awsmigrate/awsmigrate/test/overlay"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Stdout, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "seeded:", err)
		os.Exit(1)
	}
}

// packageClause matches once per file: a line of a comment begins otherwise.
var packageClause = regexp.MustCompile(`(?m)^package \w+$`)

const importPath = "github.com/awsmigrate/awsmigrate/internal/testing/defect"

// run tries the named defects, or all.
func run(ctx context.Context, out io.Writer, only []string) error {
	root, err := filepath.Abs("..")
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "seeded-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	list, err := overlayFile(root, dir, defects())
	if err != nil {
		return err
	}
	binaries, missed, tried := map[string]string{}, []string{}, 0
	for _, d := range defects() {
		if len(only) > 0 && !strings.Contains(" "+strings.Join(only, " ")+" ", " "+d.name+" ") {
			continue
		}
		if binaries[d.pkg] == "" {
			binaries[d.pkg] = filepath.Join(dir, filepath.Base(d.pkg)+".test")
			build := exec.CommandContext(ctx, "go", "test", "-c", "-overlay", list, "-o", binaries[d.pkg], ".")
			build.Dir = filepath.Join(root, d.pkg) // go uses the module of the folder
			if said, err := build.CombinedOutput(); err != nil {
				return fmt.Errorf("build %s: %w\n%s", d.pkg, err, said)
			}
		}
		tried++
		caught, took, err := try(ctx, root, binaries[d.pkg], d)
		if err != nil {
			return err
		}
		word := "caught"
		if !caught {
			word = "MISSED"
			missed = append(missed, d.name)
		}
		fmt.Fprintf(out, "%-16s %s  %-7s %4.0fs  %s\n", d.name, word, filepath.Base(d.pkg), took.Seconds(), d.what)
	}
	fmt.Fprintf(out, "counts: seeded defects: %d of %d caught\n", tried-len(missed), tried)
	if len(missed) > 0 {
		return fmt.Errorf("missed: %s", strings.Join(missed, ", "))
	}
	return nil
}

// try runs a defect's tests first without it and then with it: a test that always fails catches
// nothing.
func try(ctx context.Context, root, binary string, d seeded) (caught bool, took time.Duration, err error) {
	begin := time.Now()
	if said, err := test(ctx, root, binary, d, ""); err != nil {
		return false, 0, fmt.Errorf("%s: the tests fail without it: %w\n%s", d.name, err, said)
	}
	_, err = test(ctx, root, binary, d, d.name)
	var red *exec.ExitError
	if err != nil && !errors.As(err, &red) {
		return false, 0, err
	}
	return err != nil, time.Since(begin), nil
}

func test(ctx context.Context, root, binary string, d seeded, on string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, binary, "-test.run", d.test, "-test.failfast", "-test.timeout", "20m")
	cmd.Dir, cmd.Env = filepath.Join(root, d.pkg), append(os.Environ(), defect.Variable+"="+on)
	if d.all && on != "" {
		cmd.Env = append(cmd.Env, "AWSMIGRATE_SIM=all")
	}
	return cmd.CombinedOutput()
}

// overlayFile writes the sources with all defects, and the list of them for the go command.
func overlayFile(root, dir string, all []seeded) (string, error) {
	texts := map[string]string{}
	for _, d := range all {
		text, begun := texts[d.file]
		if !begun {
			raw, err := os.ReadFile(filepath.Join(root, d.file))
			if err != nil {
				return "", err
			}
			text = packageClause.ReplaceAllString(string(raw), "$0\n\nimport \""+importPath+"\"") // in addition to the file's imports, if any
		}
		if strings.Count(text, d.old) != 1 {
			return "", fmt.Errorf("%s: its place in %s is there %d times, wanted once", d.name, d.file, strings.Count(text, d.old))
		}
		texts[d.file] = strings.Replace(text, d.old, d.new, 1)
	}
	replaced := make(map[string]string, len(texts))
	for file, text := range texts {
		replaced[filepath.Join(root, file)] = text
	}
	return overlay.Write(dir, replaced)
}
