package cli

import (
	"fmt"
	"runtime"
	"strings"

	"github.com/spf13/cobra"

	"github.com/awsmigrate/awsmigrate/internal/build"
	"github.com/awsmigrate/awsmigrate/internal/cli/view"
)

// versionInfo holds the output of `awsmigrate version`.
type versionInfo struct {
	view.TypeMeta
	Version   string `json:"version"`
	Commit    string `json:"commit,omitempty"`
	GoVersion string `json:"goVersion"`
	Platform  string `json:"platform"`
}

func newVersion(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "version",
		Short: "Print the version",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			if err := a.checkOutput(documentFormats()...); err != nil {
				return err
			}
			info := readVersion()
			if a.output != "text" {
				return view.WriteDocument(a.streams.Out, a.output, info)
			}
			_, err := fmt.Fprintln(a.streams.Out, info.text())
			return err
		},
	}
	addOutputFlag(cmd, a, documentFormats())
	return cmd
}

func readVersion() versionInfo {
	this := build.This()
	return versionInfo{TypeMeta: view.KindOf("Version"), Version: this.Version, Commit: this.Commit,
		GoVersion: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH}
}

// text returns the version in one line.
func (v versionInfo) text() string {
	about := []string{v.GoVersion, v.Platform}
	if v.Commit != "" {
		about = append([]string{"commit " + v.Commit}, about...)
	}
	return fmt.Sprintf("awsmigrate %s (%s)", v.Version, strings.Join(about, ", "))
}

// addOutputFlag adds -o with its completion.
func addOutputFlag(cmd *cobra.Command, a *app, formats []string) {
	cmd.Flags().StringVarP(&a.output, "output", "o", "text", strings.Join(formats, "|")+": what is printed")
	completeFlag(cmd, "output", oneOf(formats...))
}

// documentFormats returns the formats of a command that prints one document.
func documentFormats() []string { return []string{"text", "json", "yaml"} }

// runFormats returns the formats of a command that runs.
func runFormats() []string { return []string{"text", "json", "jsonl", "yaml"} }

func reportFormats() []string { return []string{"text", "markdown", "html", "svg"} }
