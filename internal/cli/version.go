package cli

import (
	"fmt"
	"runtime"
	"strings"

	"github.com/spf13/cobra"

	"github.com/awsmigrate/awsmigrate/internal/cli/app"
	"github.com/awsmigrate/awsmigrate/internal/cli/usage"
	"github.com/awsmigrate/awsmigrate/internal/cli/view"
	"github.com/awsmigrate/awsmigrate/pkg/build"
)

// versionInfo holds the output of `awsmigrate version`.
type versionInfo struct {
	view.TypeMeta
	Version   string `json:"version"`
	Commit    string `json:"commit,omitempty"`
	GoVersion string `json:"goVersion"`
	Platform  string `json:"platform"`
}

func newVersion(a *app.App) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "version",
		Short: "Print the version",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			if err := a.CheckOutput(usage.DocumentFormats()...); err != nil {
				return err
			}
			info := readVersion()
			if a.Output != "text" {
				return view.WriteDocument(a.Streams.Out, a.Output, info)
			}
			_, err := fmt.Fprintln(a.Streams.Out, info.text())
			return err
		},
	}
	usage.AddOutputFlag(cmd, a, usage.DocumentFormats())
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
