package cli

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
)

// versionInfo is what `awsmigrate version` knows.
type versionInfo struct {
	typeMeta
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
			if err := a.checkOutput("text", "json", "yaml"); err != nil {
				return err
			}
			info := readVersion()
			if a.output != "text" {
				return writeDocument(a.streams.Out, a.output, info)
			}
			_, err := fmt.Fprintf(a.streams.Out, "awsmigrate %s (%s, %s)\n", info.Version, info.GoVersion, info.Platform)
			return err
		},
	}
	addOutputFlag(cmd, a, "text|json|yaml")
	return cmd
}

func readVersion() versionInfo {
	info := versionInfo{typeMeta: kind("Version"), Version: "devel",
		GoVersion: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH}
	build, ok := debug.ReadBuildInfo()
	if !ok {
		return info
	}
	if build.Main.Version != "" && build.Main.Version != "(devel)" {
		info.Version = build.Main.Version
	}
	for _, setting := range build.Settings {
		if setting.Key == "vcs.revision" {
			info.Commit = setting.Value
		}
	}
	return info
}

func addOutputFlag(cmd *cobra.Command, a *app, formats string) {
	cmd.Flags().StringVarP(&a.output, "output", "o", "text", formats)
}
