package node

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"strings"
)

// The kubelet's limits of a termination message taken from a log.
const (
	tailBytes = 2048
	tailLines = 80
)

// logTail returns the end of a log file, from offset on, or empty if it cannot be read.
func logTail(path string, offset int64) string {
	file, err := os.Open(path)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return ""
		}
		return "reading the log: " + err.Error()
	}
	defer file.Close()
	size, err := file.Seek(0, io.SeekEnd)
	if err != nil {
		return "reading the log: " + err.Error()
	}
	from := max(offset, size-tailBytes)
	if _, err := file.Seek(from, io.SeekStart); err != nil {
		return "reading the log: " + err.Error()
	}
	raw, err := io.ReadAll(file)
	if err != nil {
		return "reading the log: " + err.Error()
	}
	lines := strings.Split(strings.TrimRight(string(raw), "\n"), "\n")
	if len(lines) > tailLines {
		lines = lines[len(lines)-tailLines:]
	}
	return strings.Join(lines, "\n")
}

func fileSize(path string) int64 {
	info, err := os.Stat(path)
	if err != nil {
		return 0
	}
	return info.Size()
}
