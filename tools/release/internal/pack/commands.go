package pack

import (
	"bytes"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"
)

// Completions returns the scripts of a tree of commands, each under the name by which its
// shell finds it.
func Completions(root *cobra.Command, below string) ([]Entry, error) {
	name := root.Name()
	var entries []Entry
	for _, shell := range []struct {
		file  string
		write func(*bytes.Buffer) error
	}{
		{name + ".bash", func(b *bytes.Buffer) error { return root.GenBashCompletionV2(b, true) }},
		{"_" + name, func(b *bytes.Buffer) error { return root.GenZshCompletion(b) }},
		{name + ".fish", func(b *bytes.Buffer) error { return root.GenFishCompletion(b, true) }},
	} {
		var script bytes.Buffer
		if err := shell.write(&script); err != nil {
			return nil, fmt.Errorf("completion script %s: %w", shell.file, err)
		}
		entries = append(entries, Entry{Path: below + "/" + shell.file, Data: script.Bytes()})
	}
	return entries, nil
}

// Manual returns a page of section 1 for each command of a tree.
func Manual(root *cobra.Command, below string, version Version, at time.Time) ([]Entry, error) {
	root.DisableAutoGenTag = true
	at = at.UTC()
	var entries []Entry
	var walk func(*cobra.Command) error
	walk = func(c *cobra.Command) error {
		if c != root && (!c.IsAvailableCommand() || c.IsAdditionalHelpTopicCommand()) {
			return nil
		}
		var page bytes.Buffer
		header := &doc.GenManHeader{Section: "1", Date: &at, Source: root.Name() + " " + version.String(), Manual: root.Name()}
		if err := doc.GenMan(c, header, &page); err != nil {
			return fmt.Errorf("manual page of %s: %w", c.CommandPath(), err)
		}
		entries = append(entries, Entry{Path: below + "/" + strings.ReplaceAll(c.CommandPath(), " ", "-") + ".1", Data: page.Bytes()})
		for _, child := range c.Commands() {
			if err := walk(child); err != nil {
				return err
			}
		}
		return nil
	}
	return entries, walk(root)
}
