package rke

import (
	"github.com/awsmigrate/awsmigrate/pkg/rke/clusterfile"
	"github.com/awsmigrate/awsmigrate/pkg/rke/rkecli"
)

func (b *Backend) tool() rkecli.Tool {
	if b.edges.Tool != nil {
		return b.edges.Tool
	}
	return rkecli.Local{}
}

func (b *Backend) disk() clusterfile.FS {
	if b.edges.Disk != nil {
		return b.edges.Disk
	}
	return clusterfile.Disk{}
}
