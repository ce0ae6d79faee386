package rkestate

import (
	"path/filepath"
	"strings"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/rke/clusterfile"
	"github.com/awsmigrate/awsmigrate/pkg/verify"
)

// Path returns the path of a cluster.yml's state file
// (rancher/rke:cluster/state.go@v1.5.9, GetStateFilePath).
func Path(config string) string {
	return strings.TrimSuffix(config, filepath.Ext(config)) + ".rkestate"
}

// ReadLocal reads the state next to the file. Without it, rke treats the cluster as a new one.
func ReadLocal(disk clusterfile.FS, config string) verify.Read[Full] {
	path := Path(config)
	text, err := disk.ReadFile(path)
	if err != nil {
		return verify.Failed[Full](&fault.Error{Class: fault.Usage, Reason: "NoStateFile", Object: "file " + path,
			Seen: "cannot be read: rke would take the cluster for a new one", Fix: fault.Command("rke", "util", "get-state-file", "--config", config), Err: err})
	}
	state, err := Parse("file "+path, text)
	if err != nil {
		return verify.Failed[Full](err)
	}
	return verify.Got(state)
}
