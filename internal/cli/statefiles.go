package cli

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

// mostRecords is how many records of former runs stay beside the log of a new one.
const mostRecords = 20

// stateFile names a file of one process in the user's folder for state (XDG Base Directory
// Specification 0.8), or in the one for temporary files where there is no home. Names sort
// by time.
func stateFile(env func(string) string, now time.Time, pid int, ending string) string {
	dir := filepath.Join(os.TempDir(), "awsmigrate")
	if state := env("XDG_STATE_HOME"); filepath.IsAbs(state) {
		dir = filepath.Join(state, "awsmigrate")
	} else if home := env("HOME"); filepath.IsAbs(home) {
		dir = filepath.Join(home, ".local", "state", "awsmigrate")
	}
	return filepath.Join(dir, fmt.Sprintf("%s-%d%s", now.UTC().Format("20060102T150405Z"), pid, ending))
}

// recordBeside is the file for the record of a run that was not asked for one, with room
// made for it; "": there is no place.
func recordBeside(env func(string) string, now time.Time, pid int) string {
	path := stateFile(env, now, pid, recordEnding)
	dir := filepath.Dir(path)
	if os.MkdirAll(dir, 0o700) != nil {
		return ""
	}
	records, err := fs.Glob(os.DirFS(dir), "*"+recordEnding)
	if err != nil {
		return ""
	}
	for _, name := range outdated(records, mostRecords-1) {
		_ = os.Remove(filepath.Join(dir, name)) // another run may have removed it
	}
	return path
}

// outdated are the files, named by their times, beyond the newest ones.
func outdated(files []string, most int) []string {
	sorted := slices.Sorted(slices.Values(files))
	return sorted[:max(0, len(sorted)-most)]
}
