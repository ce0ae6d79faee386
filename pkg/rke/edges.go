package rke

import (
	"github.com/awsmigrate/awsmigrate/pkg/rke/clusterfile"
	"github.com/awsmigrate/awsmigrate/pkg/rke/rkecli"
)

func (p *Procedure) tool() rkecli.Tool {
	if p.edges.Tool != nil {
		return p.edges.Tool
	}
	return rkecli.Local{}
}

func (p *Procedure) disk() clusterfile.FS {
	if p.edges.Disk != nil {
		return p.edges.Disk
	}
	return clusterfile.Disk{}
}
