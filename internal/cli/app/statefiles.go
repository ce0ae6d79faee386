package app

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"
)

const (
	logEnding    = ".log"
	recordEnding = ".record.jsonl"
)

// maxRecords limits how many records of earlier runs remain next to the log of a new one.
const maxRecords = 20

// stateFile returns the path of a process's file in the user's state folder (XDG Base Directory
// Specification 0.8), or in the temporary folder without a home. Names sort by time.
func stateFile(env func(string) string, now time.Time, pid int, ending string) string {
	dir := filepath.Join(os.TempDir(), "awsmigrate")
	if state := env("XDG_STATE_HOME"); filepath.IsAbs(state) {
		dir = filepath.Join(state, "awsmigrate")
	} else if home := env("HOME"); filepath.IsAbs(home) {
		dir = filepath.Join(home, ".local", "state", "awsmigrate")
	}
	return filepath.Join(dir, fmt.Sprintf("%s-%d%s", now.UTC().Format("20060102T150405Z"), pid, ending))
}

// DefaultRecordFile returns the default record file of a run and removes old records, or returns "" if
// no folder is usable.
func DefaultRecordFile(env func(string) string, now time.Time, pid int) string {
	path := stateFile(env, now, pid, recordEnding)
	dir := filepath.Dir(path)
	if os.MkdirAll(dir, 0o700) != nil {
		return ""
	}
	records, err := fs.Glob(os.DirFS(dir), "*"+recordEnding)
	if err != nil {
		return ""
	}
	for _, name := range outdated(records, maxRecords-1) {
		_ = os.Remove(filepath.Join(dir, name)) // another run may have removed it
	}
	return path
}

// outdated returns the files, named by their times, except the newest ones.
func outdated(files []string, most int) []string {
	sorted := slices.Sorted(slices.Values(files))
	return sorted[:max(0, len(sorted)-most)]
}
