package repository

import (
	"fmt"
	"slices"
	"time"

	"helm.sh/helm/v3/pkg/chart"
	"helm.sh/helm/v3/pkg/chart/loader"

	"github.com/awsmigrate/awsmigrate/pkg/rke/clusterfile/yamltext"
	"github.com/awsmigrate/awsmigrate/tools/release/internal/pack"
)

// upstreamVersion is the annotation with the version of the installed program, for Rancher's
// catalogue.
const upstreamVersion = "catalog.cattle.io/upstream-version"

// Chart is a chart of a release: its files with the release's values.
type Chart struct {
	*chart.Chart
	Archive []byte // as of `helm package`, but reproducible
}

// FileName returns the name of the archive.
func (c Chart) FileName() string { return c.Metadata.Name + "-" + c.Metadata.Version + ".tgz" }

// Package packages the chart in a folder for a release. digest is the digest of the image, or
// empty for a chart without one. Every other byte of its files stays, including comments.
// Helm's own packaging stamps files with the current time.
func Package(dir string, version pack.Version, digest string, at time.Time) (Chart, error) {
	found, err := loader.LoadDir(dir)
	if err != nil {
		return Chart{}, fmt.Errorf("chart %s: %w", dir, err)
	}
	changes := map[string][]yamltext.Change{"Chart.yaml": versions(found, version)}
	if digest != "" {
		changes["values.yaml"] = []yamltext.Change{yamltext.Set(digest, yamltext.Quoted, "image", "digest")}
	}
	var files []*loader.BufferedFile
	var entries []pack.Entry
	for _, file := range found.Raw {
		data, err := filled(file, changes[file.Name])
		if err != nil {
			return Chart{}, fmt.Errorf("chart %s: %w", dir, err)
		}
		files = append(files, &loader.BufferedFile{Name: file.Name, Data: data})
		entries = append(entries, pack.Entry{Path: found.Name() + "/" + file.Name, Data: data})
	}
	whole, err := loader.LoadFiles(files)
	if err != nil {
		return Chart{}, fmt.Errorf("chart %s as filled in: %w", dir, err)
	}
	archive, err := pack.TarGz(entries, pack.Usual(), at)
	return Chart{Chart: whole, Archive: archive}, err
}

func versions(found *chart.Chart, version pack.Version) []yamltext.Change {
	changes := []yamltext.Change{
		yamltext.Set(version.Number(), yamltext.Plain, "version"),
		yamltext.Set(version.Number(), yamltext.Plain, "appVersion"),
	}
	if _, has := found.Metadata.Annotations[upstreamVersion]; has {
		changes = append(changes, yamltext.Set(version.Number(), yamltext.Plain, "annotations", upstreamVersion))
	}
	return changes
}

func filled(file *chart.File, changes []yamltext.Change) ([]byte, error) {
	if len(changes) == 0 {
		return slices.Clone(file.Data), nil
	}
	document, err := yamltext.Parse(file.Name, file.Data, yamltext.Reader{})
	if err != nil {
		return nil, err
	}
	edit, err := document.Edit(changes...)
	return edit.After, err
}
