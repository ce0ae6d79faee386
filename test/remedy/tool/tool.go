// Package tool has the programs that fixes of `awsmigrate verify` call besides
// kubectl, for the PATH of whoever follows one. A test's own binary is each of them
// where a shell finds it under that name.
//
// Stood in for: the aws command, which takes the few commands and options that fixes
// have and no others, with the real SDK behind them; helm's main program, whose
// dependencies are not in this module, with Helm's own code behind helm's flags.
package tool

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
)

// Main runs the tool that this process was called as, and ends it. It returns where
// the process is none.
func Main(ctx context.Context) {
	run, is := map[string]func(context.Context, []string) error{"aws": runAWS, "helm": runHelm}[filepath.Base(os.Args[0])]
	if !is {
		return
	}
	code := 0
	if err := run(ctx, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

// Link puts the tools into a directory: links to this process's binary, whose main
// calls Main.
func Link(dir string) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	for _, name := range []string{"aws", "helm"} {
		if err := os.Symlink(self, filepath.Join(dir, name)); err != nil {
			return err
		}
	}
	return nil
}
