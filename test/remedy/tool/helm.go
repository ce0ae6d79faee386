package tool

import (
	"context"
	"fmt"

	"github.com/spf13/pflag"
	"helm.sh/helm/v3/pkg/action"
	"helm.sh/helm/v3/pkg/cli"
)

// runHelm acts as `helm uninstall` with helm's global flags alone.
func runHelm(_ context.Context, args []string) error {
	settings, flags := cli.New(), pflag.NewFlagSet("helm", pflag.ContinueOnError)
	settings.AddFlags(flags)
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() != 2 || flags.Arg(0) != "uninstall" {
		return fmt.Errorf("%q, wanted uninstall and a release", flags.Args())
	}
	helm, err := Helm(settings.Namespace(), settings)
	if err != nil {
		return err
	}
	_, err = action.NewUninstall(helm).Run(flags.Arg(1))
	return err
}

// Helm returns Helm's configuration for a namespace and an environment.
func Helm(namespace string, settings *cli.EnvSettings) (*action.Configuration, error) {
	helm := &action.Configuration{}
	if err := helm.Init(settings.RESTClientGetter(), namespace, "", func(string, ...any) {}); err != nil {
		return nil, fmt.Errorf("preparing Helm for namespace %s: %w", namespace, err)
	}
	return helm, nil
}
