package sources

import (
	"errors"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/awsmigrate/awsmigrate/internal/report"
	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/record"
	"github.com/awsmigrate/awsmigrate/pkg/record/judge"
	"github.com/awsmigrate/awsmigrate/pkg/runner/archive"
)

// recordOf returns the record of a run that made an edit.
func recordOf(t *testing.T, run string) []byte {
	t.Helper()
	at := time.Date(2026, 11, 21, 10, 0, 0, 0, time.UTC)
	p := archive.NewPack()
	for i, e := range []record.Entry{
		{Header: &record.Header{Form: record.Form, Name: "demo", Version: "v1"}},
		{Run: &record.Run{ID: run, Goal: record.Migrate, Position: "P1", Version: "v1"}},
		{Step: &record.Step{Run: run, ID: "install-ccm", Title: "Install it"}},
		{Edit: &record.Edit{Run: run, Step: "install-ccm", Object: "Helm release", Diff: "- a\n+ b", Written: true}},
		{Step: &record.Step{Run: run, ID: "install-ccm", Outcome: record.Failed, Message: "no room"}},
		{Run: &record.Run{ID: run, Goal: record.Migrate, Position: "P1", Ended: true, Error: "step install-ccm: no room"}},
	} {
		e.At = at.Add(time.Duration(i) * time.Second)
		if err := p.Put(e); err != nil {
			t.Fatal(err)
		}
	}
	packed, err := p.Bytes(at.Add(time.Minute), "the run is over")
	if err != nil {
		t.Fatal(err)
	}
	return packed
}

func archived(keys map[string][]byte) archive.Records {
	return archive.Of(&corev1.ConfigMap{BinaryData: keys})
}

// The report on a journal's run includes the steps and edits of its record, and the processes
// that ran the cloud controllers.
func TestJournalWithRecords(t *testing.T) {
	r := WithRecords(Journal(kept(t), time.Time{}), archived(map[string][]byte{"r2.jsonl.gz": recordOf(t, "r2"), "r4.jsonl.gz": []byte("torn")}), nil)
	two := r.Runs[1]
	if two.ID != "r2" || two.By != "bob@bastion" || two.Error != "step install-ccm: no room" || len(two.Edits) != 1 || len(two.Steps) != 1 || two.Steps[0].Message != "no room" || len(two.Approvals) != 1 {
		t.Errorf("%+v", two)
	}
	if r.Source != report.Record || r.Verdict() != judge.NotSeen { // this record never watched
		t.Errorf("source %v, verdict %q", r.Source, r.Verdict())
	}
	page, err := report.As("markdown", r)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"the cluster was not watched then", "runs without a record: r1, r3, r4, r5, r6", "## service", "the record of run r4: it cannot be read", "+ b"} {
		if !strings.Contains(string(page), want) {
			t.Errorf("lacks %q:\n%s", want, page)
		}
	}
	if r := WithRecords(Journal(kept(t), time.Time{}), archive.Records{}, errors.New("forbidden")); !strings.Contains(strings.Join(r.NotSeen(), "\n"), "forbidden") || len(r.Recorded) > 0 {
		t.Errorf("%q", r.NotSeen())
	}
}

// The record of a run is reported like any other. If it does not exist, the error names it and
// the existing ones.
func TestRecordOfARun(t *testing.T) {
	all := archived(map[string][]byte{"r2.jsonl.gz": recordOf(t, "r2"), "r3_r4.jsonl.gz": recordOf(t, "r4"), "r1.jsonl.gz": []byte("torn"), "sha256": nil})
	for run, want := range map[string]string{"r2": "r2", "r3": "r4", "r4": "r4", Last: "r4"} {
		r, err := RecordOf(all, run, "ConfigMap a/b")
		if err != nil || r.Source != report.Record || len(r.Runs) != 1 || r.Runs[0].ID != want {
			t.Errorf("%s: %v, %+v", run, err, r.Runs)
		}
	}
	if _, err := RecordOf(all, "r9", "ConfigMap a/b"); fault.ClassOf(err) != fault.Usage || !strings.Contains(err.Error(), "one of r1, r2, r3, r4; give --run last") {
		t.Error(err)
	}
	if _, err := RecordOf(archive.Records{}, Last, "ConfigMap a/b"); fault.ClassOf(err) != fault.Usage || !strings.Contains(err.Error(), "no record exists; leave --run out") {
		t.Error(err)
	}
	if _, err := RecordOf(all, "r1", "ConfigMap a/b"); err == nil || !strings.Contains(err.Error(), "ConfigMap a/b, run r1") {
		t.Error(err)
	}
}
