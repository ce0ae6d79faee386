// Package tool provides the programs that fixes of `awsmigrate verify` call besides kubectl, for
// the PATH of the user who follows one. A test's own binary acts as each of them if a shell starts
// it under that name.
//
// The replacement of the aws command has only the commands and options of the fixes, and of the
// shell lines with which a test breaks an account, with the real SDK behind them. The replacement of
// helm's main program, whose dependencies are not in this module, uses Helm's own code behind helm's flags.
package tool

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
)

// Main runs the tool whose name this process has, and exits. It returns if no tool has the name.
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

// Link creates links to this process's binary in a directory, one per tool. The binary's main must
// call Main.
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
