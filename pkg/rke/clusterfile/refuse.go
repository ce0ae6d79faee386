package clusterfile

import (
	"fmt"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
)

// reasons begins the reason of every fault of this package.
const reasons = "ClusterFile"

// Reasons of the faults of this package, for machines. They are stable. Those that
// any YAML may have are yamltext's, behind the word above.
const (
	ReasonEmpty             = "ClusterFileEmpty"
	ReasonNotYAML           = "ClusterFileNotYAML"
	ReasonNotForRKE         = "ClusterFileNotReadableByRKE"
	ReasonTabs              = "ClusterFileTabs"
	ReasonTemplate          = "ClusterFileTemplate"
	ReasonSeveralDocuments  = "ClusterFileSeveralDocuments"
	ReasonDuplicateKey      = "ClusterFileDuplicateKey"
	ReasonAlias             = "ClusterFileAlias"
	ReasonMergeKey          = "ClusterFileMergeKey"
	ReasonRancherYAML       = "ClusterFileRancherYAML"
	ReasonWrongKind         = "ClusterFileWrongKind"
	ReasonMultiLine         = "ClusterFileMultiLineScalar"
	ReasonForm              = "ClusterFileUnusualForm"
	ReasonNotProven         = "ClusterFileEditNotProven"
	ReasonChanged           = "ClusterFileChanged"
	ReasonUnreadable        = "ClusterFileUnreadable"
	ReasonNotWritten        = "ClusterFileNotWritten"
	ReasonBackup            = "ClusterFileBackup"
	ReasonUndo              = "ClusterFileUndo"
	ReasonWrittenNotDurable = "ClusterFileWrittenNotDurable"
)

// refusal is why a file is left alone, before its name is known.
type refusal struct {
	reason string
	line   int // 1-based; 0 when it is about the whole file
	seen   string
	wanted string
	fix    string
	err    error
}

func (r *refusal) in(name string) *fault.Error {
	object := name
	if r.line > 0 {
		object = fmt.Sprintf("%s:%d", name, r.line)
	}
	return &fault.Error{
		Class: fault.Usage, Reason: r.reason, Object: object,
		Seen: r.seen, Wanted: r.wanted, Fix: r.fix, Err: r.err,
	}
}
