package main

import (
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/awsmigrate/awsmigrate/tools/release/internal/pack"
	"github.com/awsmigrate/awsmigrate/tools/release/internal/seal"
)

// passwordVariable holds the password of a private key, as for cosign.
const passwordVariable = "COSIGN_PASSWORD"

func newRoot(env []string) *cobra.Command {
	root := &cobra.Command{Use: "release", Short: "Make and verify the files of a release", SilenceErrors: true, SilenceUsage: true}
	root.AddCommand(newBuild(env), newVerify())
	return root
}

func newBuild(env []string) *cobra.Command {
	var o options
	var version string
	var platforms []string
	cmd := &cobra.Command{
		Use:   "build --version VERSION --out DIR [--key FILE]",
		Short: "Make the files of a release from the commit that is checked out",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) (err error) {
			if o.version, err = pack.ParseVersion(version); err != nil {
				return err
			}
			if o.platforms, err = parsePlatforms(platforms); err != nil {
				return err
			}
			o.env, o.say = env, func(line string) { fmt.Fprintln(cmd.ErrOrStderr(), line) }
			return build(cmd.Context(), o)
		},
	}
	f := cmd.Flags()
	f.StringVar(&version, "version", "", "such as v0.1.0")
	f.StringVar(&o.repository, "repository", ".", "the repository's root")
	f.StringVar(&o.out, "out", "dist", "folder for the files; new or empty")
	f.StringVar(&o.key, "key", "", "private key in PEM, or of cosign with its password in "+passwordVariable+"; without it nothing is signed")
	f.StringVar(&o.tags, "tags", "", "build tags")
	f.StringSliceVar(&platforms, "platform", nil, "for a trial: only these platforms, such as linux/amd64; at least one of linux")
	return cmd
}

// parsePlatforms returns the platforms with these names, or all without names.
func parsePlatforms(names []string) ([]pack.Platform, error) {
	if len(names) == 0 {
		return pack.Platforms(), nil
	}
	byName := map[string]pack.Platform{}
	for _, p := range pack.Platforms() {
		byName[p.OS+"/"+p.Arch] = p
	}
	var list []pack.Platform
	linux := false
	for _, name := range names {
		p, known := byName[name]
		if !known {
			return nil, fmt.Errorf("platform %q: a release has %v", name, pack.Platforms())
		}
		list, linux = append(list, p), linux || p.OS == "linux"
	}
	if !linux {
		return nil, fmt.Errorf("platforms %s: the image needs one of linux", strings.Join(names, ", "))
	}
	return list, nil
}

func newVerify() *cobra.Command {
	var keyFile string
	cmd := &cobra.Command{
		Use:   "verify --key PUBLIC-KEY DIR",
		Short: "Prove by a public key, offline, that a folder holds files of a release as they were made",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			key, err := os.ReadFile(keyFile)
			if err != nil {
				return err
			}
			seen, err := seal.Verify(os.DirFS(args[0]), key)
			if err != nil {
				return err
			}
			for _, path := range seen.Verified {
				fmt.Fprintln(cmd.OutOrStdout(), "ok ", path)
			}
			_, err = fmt.Fprintf(cmd.OutOrStdout(), "%d files are as they were signed, %d of the release are not here\n", len(seen.Verified), len(seen.Absent))
			return err
		},
	}
	cmd.Flags().StringVar(&keyFile, "key", "", "public key in PEM, such as cosign.pub")
	_ = cmd.MarkFlagRequired("key") // the flag exists
	return cmd
}
