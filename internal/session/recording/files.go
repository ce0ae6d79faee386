package recording

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
)

// NewFile creates the file of a record. It returns an error if the file exists.
func NewFile(path string) (*os.File, error) {
	file, err := os.OpenFile(filepath.Clean(path), os.O_WRONLY|os.O_CREATE|os.O_EXCL|os.O_APPEND, 0o600)
	if err != nil {
		return nil, &fault.Error{Class: fault.Usage, Reason: "RecordFile", Object: "file " + path, Seen: "cannot be made", Wanted: "a new file", Err: err}
	}
	return file, nil
}

// formatOf returns the format of a report from its file name.
func formatOf(path string) (string, error) {
	switch filepath.Ext(path) {
	case ".html":
		return "html", nil
	case ".md":
		return "markdown", nil
	}
	return "", fault.AsUsage(fmt.Errorf("flag --report: file %q, wanted one that ends in .html or .md", path))
}
