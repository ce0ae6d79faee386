package app

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

func TestOutdatedRecords(t *testing.T) {
	files := []string{"20261103T000000Z-7.record.jsonl", "20261101T000000Z-9.record.jsonl", "20261102T000000Z-8.record.jsonl"}
	for most, want := range map[int][]string{
		4: nil, 3: nil, 2: {"20261101T000000Z-9.record.jsonl"}, 1: {"20261101T000000Z-9.record.jsonl", "20261102T000000Z-8.record.jsonl"},
	} {
		if got := outdated(files, most); !slices.Equal(got, want) {
			t.Errorf("all but %d: %v", most, got)
		}
	}
}

// Old records make room, logs stay, and a place that cannot be written to is none.
func TestDefaultRecordFile(t *testing.T) {
	home := t.TempDir()
	env := func(name string) string { return map[string]string{"HOME": home}[name] }
	dir := filepath.Join(home, ".local", "state", "awsmigrate")
	day := func(n int) time.Time { return time.Date(2026, 11, 1, n, 0, 0, 0, time.UTC) }
	for n := range maxRecords + 3 {
		path := DefaultRecordFile(env, day(n), 7)
		if path != filepath.Join(dir, day(n).Format("20060102T150405Z")+"-7.record.jsonl") {
			t.Fatalf("the record is %q", path)
		}
		for _, file := range []string{path, stateFile(env, day(n), 7, logEnding)} {
			if err := os.WriteFile(file, nil, 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	records, _ := filepath.Glob(filepath.Join(dir, "*"+recordEnding))
	logs, _ := filepath.Glob(filepath.Join(dir, "*"+logEnding))
	if len(records) != maxRecords || len(logs) != maxRecords+3 || filepath.Base(records[0]) != "20261101T030000Z-7.record.jsonl" {
		t.Errorf("%d logs, %d records from %v on", len(logs), len(records), records)
	}
	file := filepath.Join(home, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if path := DefaultRecordFile(func(string) string { return file }, day(0), 7); path != "" {
		t.Errorf("a record in a file: %s", path)
	}
}
