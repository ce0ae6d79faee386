package rke

import (
	"github.com/awsmigrate/awsmigrate/pkg/rke/clusterfile"
	"github.com/awsmigrate/awsmigrate/pkg/rke/rkecli"
)

func (b *Backend) tool() rkecli.Tool {
	if b.deps.Tool != nil {
		return b.deps.Tool
	}
	return rkecli.Local{}
}

func (b *Backend) disk() clusterfile.FS {
	if b.deps.Disk != nil {
		return b.deps.Disk
	}
	return clusterfile.Disk{}
}
