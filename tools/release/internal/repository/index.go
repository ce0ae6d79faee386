package repository

import (
	"time"

	"helm.sh/helm/v3/pkg/repo"
	"sigs.k8s.io/yaml"

	"github.com/awsmigrate/awsmigrate/tools/release/internal/pack"
)

// Index returns the index.yaml of a Helm repository with these charts next to it. Its addresses
// are relative, so that a mirror can use it unchanged.
func Index(charts []Chart, at time.Time) ([]byte, error) {
	index := repo.NewIndexFile()
	index.Generated = at.UTC()
	for _, c := range charts {
		if err := index.MustAdd(c.Metadata, c.FileName(), "", pack.Digest(c.Archive)); err != nil {
			return nil, err
		}
	}
	for _, versions := range index.Entries {
		for _, v := range versions {
			v.Created = at.UTC()
		}
	}
	index.SortEntries()
	return yaml.Marshal(index)
}
