package clusterfile

import (
	"cmp"
	"fmt"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
)

// reasons is the prefix of the reason of every error of this package.
const reasons = "ClusterFile"

// Stable reasons of this package's errors, for machines. Package yamltext defines those that
// apply to any YAML; they have the prefix reasons.
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

// refusal describes why a file is not edited, before its name is known.
type refusal struct {
	reason string
	line   int // starting at 1; 0 if it concerns the whole file
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
		Seen: r.seen, Wanted: r.wanted, Fix: cmp.Or(r.fix, "correct "+object+", then run the same command again"), Err: r.err,
	}
}
