package klipper

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"time"

	"helm.sh/helm/v3/pkg/action"
	"helm.sh/helm/v3/pkg/chart"
	"helm.sh/helm/v3/pkg/chart/loader"
	"helm.sh/helm/v3/pkg/cli"
	"helm.sh/helm/v3/pkg/cli/values"
	"helm.sh/helm/v3/pkg/getter"

	"github.com/spf13/pflag"
)

// helmOptions are the arguments that a job passes to helm.
type helmOptions struct {
	namespace, version string
	createNamespace    bool
	set, setString     []string
	timeout            time.Duration
}

func parseOptions(args []string) (helmOptions, error) {
	o := helmOptions{timeout: 5 * time.Minute}
	f := pflag.NewFlagSet("helm", pflag.ContinueOnError)
	f.SetOutput(io.Discard)
	f.StringVar(&o.namespace, "namespace", "", "")
	f.StringVar(&o.version, "version", "", "")
	f.BoolVar(&o.createNamespace, "create-namespace", false, "")
	f.StringArrayVar(&o.set, "set", nil, "")
	f.StringArrayVar(&o.setString, "set-string", nil, "")
	return o, f.Parse(args)
}

// load reads the chart, from chartContent's volume or by name, and the values of the HelmChart
// and its HelmChartConfig.
func (k *run) load() (*chart.Chart, map[string]any, error) {
	c, err := k.loadChart()
	if err != nil {
		return nil, nil, err
	}
	files, err := filepath.Glob(filepath.Join(k.volumes, pathConfig, "*.yaml"))
	if err != nil {
		return nil, nil, err
	}
	v := values.Options{ValueFiles: files, Values: k.options.set, StringValues: k.options.setString}
	merged, err := v.MergeValues(getter.Providers{})
	return c, merged, err
}

func (k *run) loadChart() (*chart.Chart, error) {
	encoded, err := os.ReadFile(filepath.Join(k.volumes, pathChart, k.env["NAME"]+".tgz.base64"))
	if err == nil {
		packed, err := base64.StdEncoding.DecodeString(string(bytes.TrimSpace(encoded)))
		if err != nil {
			return nil, fmt.Errorf("chartContent: %w", err)
		}
		return loader.LoadArchive(bytes.NewReader(packed))
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	settings := cli.New()
	settings.RepositoryConfig = filepath.Join(k.volumes, "tmp", "repositories.yaml")
	settings.RepositoryCache = filepath.Join(k.volumes, "tmp", "repository")
	where := action.ChartPathOptions{RepoURL: k.env["REPO"], Version: k.options.version}
	name := k.env["CHART"]
	if where.RepoURL != "" {
		name = path.Base(name)
	}
	at, err := where.LocateChart(name, settings)
	if err != nil {
		return nil, err
	}
	return loader.Load(at)
}
