package records

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/yaml"

	"github.com/awsmigrate/awsmigrate/internal/cli/target"
	"github.com/awsmigrate/awsmigrate/internal/report"
	"github.com/awsmigrate/awsmigrate/internal/report/sources"
	"github.com/awsmigrate/awsmigrate/pkg/bounded"
	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/migration/audit"
	"github.com/awsmigrate/awsmigrate/pkg/record"
	"github.com/awsmigrate/awsmigrate/pkg/record/judge"
	"github.com/awsmigrate/awsmigrate/pkg/runner/archive"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
	"github.com/awsmigrate/awsmigrate/pkg/verify"
)

const (
	// sniffLen is the number of bytes read to detect the file type.
	sniffLen = 64 << 10
)

// configMapLimits returns the limits of a ConfigMap in a file. An API server accepts 1 MiB of
// data, and managedFields and base64 keep it below these limits; a journal in it has 25,000
// values.
func configMapLimits() bounded.Limits { return bounded.Limits{Bytes: 8 << 20, Values: 1 << 17} }

// reportOfFile detects the type of a file, and reads it. run selects one of several records, or
// is empty.
func reportOfFile(ctx context.Context, path, run string) (report.Report, error) {
	file, err := bounded.Open(path)
	if err != nil {
		return report.Report{}, unreadableFile(path, err)
	}
	defer file.Close() //nolint:errcheck // it is only read
	in := bufio.NewReaderSize(file, sniffLen)
	head, err := in.Peek(sniffLen)
	if err != nil && !errors.Is(err, io.EOF) {
		return report.Report{}, unreadableFile(path, err)
	}
	switch kind := kindOf(head); {
	case kind == aConfigMap:
		return reportOfConfigMap(path, in, run)
	case run != "":
		return report.Report{}, fault.AsUsage(fmt.Errorf("flag --run: file %s is of one run, or of none; wanted a cluster, or a ConfigMap with the records of its runs", path))
	case kind == aBundle:
		return reportOfBundle(ctx, path)
	}
	judged := judge.New()
	torn, err := record.Read(in, judged.Put)
	if err != nil {
		return report.Report{}, fmt.Errorf("file %s: %w", path, err)
	}
	return report.Of(judged.Result(), torn), nil
}

// unreadableFile returns the error for a file that no report can be made of.
func unreadableFile(path string, err error) error {
	return &fault.Error{Class: fault.Usage, Reason: "UnreadableFile", Object: "file " + path, Seen: "cannot be read", Wanted: "a record, a journal or a bundle",
		Fix: "correct the path; awsmigrate report --cluster NAME shows the runs that are kept in Rancher's cluster", Err: err}
}

// fileKind is the type of a file.
type fileKind int

const (
	aRecord fileKind = iota // or an unknown type
	aBundle
	aConfigMap
)

// kindOf detects the type of a file by its beginning.
func kindOf(head []byte) fileKind {
	first, _, _ := bytes.Cut(head, []byte("\n"))
	var line struct {
		Header *struct{} `json:"header"`
		Kind   string    `json:"kind"`
	}
	switch {
	case json.Unmarshal(first, &line) == nil && (line.Header != nil || line.Kind == ""): // JSON lines may name ConfigMaps
		return aRecord
	case bytes.Contains(head, []byte("AuditBundle")):
		return aBundle
	case bytes.Contains(head, []byte("ConfigMap")) || bytes.Contains(head, []byte("journal.json")):
		return aConfigMap
	}
	return aRecord
}

// reportOfConfigMap reports on a ConfigMap that was saved with kubectl: a journal, or a record
// next to it. It uses the last record unless run names one.
func reportOfConfigMap(path string, in io.Reader, run string) (report.Report, error) {
	text, err := configMapLimits().ReadAll(in)
	if err != nil && !bounded.Exceeded(err) {
		return report.Report{}, fault.AsUsage(fmt.Errorf("read %s: %w", path, err))
	}
	refuse := func(seen string, err error) error {
		return &fault.Error{Class: fault.Usage, Reason: "NoJournal", Object: "file " + path, Seen: seen, Wanted: "one ConfigMap of awsmigrate's, as kubectl get -o yaml or -o json prints it", Err: err}
	}
	if bounded.Exceeded(err) {
		return report.Report{}, refuse(fmt.Sprintf("has more than %d MB", configMapLimits().Bytes>>20), nil)
	}
	if err := configMapLimits().CheckYAML(text); err != nil {
		return report.Report{}, refuse(err.Error(), nil)
	}
	var cm corev1.ConfigMap
	if err := yaml.Unmarshal(text, &cm); err != nil {
		return report.Report{}, refuse("cannot be read as YAML or JSON", err)
	}
	if cm.Kind != "ConfigMap" {
		return report.Report{}, refuse(fmt.Sprintf("is a %q", cm.Kind), nil)
	}
	switch {
	case archive.Holds(&cm):
		return sources.RecordOf(archive.Of(&cm), cmp.Or(run, sources.Last), "file "+path)
	case run != "":
		return report.Report{}, refuse("holds no records of runs", nil)
	case !journal.Holds(&cm):
		return report.Report{}, refuse("holds neither a journal nor records of runs", nil)
	}
	state, err := journal.Kept("file "+path, &cm)
	if err != nil {
		return report.Report{}, err
	}
	return sources.Journal(state, time.Time{}), nil
}

// reportOfBundle reports on a reading that verify --dump saved, judged as by verify --from.
func reportOfBundle(ctx context.Context, path string) (report.Report, error) {
	source, err := target.OpenBundle(path)
	if err != nil {
		return report.Report{}, err
	}
	seen, err := source.Read(ctx)
	if err != nil {
		return report.Report{}, err
	}
	found := verify.RunAll(ctx, seen.Bound(), audit.Selection(migration.Options{}, seen.Input.Position))
	return sources.Bundle(seen.Target.Name, seen.Target.UID, seen.Header, seen.At, seen.Input, found), nil
}
