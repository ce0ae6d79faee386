package recording

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
)

// NewFile creates the file of a record. It returns an error if the file exists.
func NewFile(path string) (*os.File, error) {
	file, err := os.OpenFile(filepath.Clean(path), os.O_WRONLY|os.O_CREATE|os.O_EXCL|os.O_APPEND, 0o600)
	if err != nil {
		return nil, &fault.Error{Class: fault.Usage, Reason: "RecordFile", Object: "file " + path, Seen: "cannot be made", Wanted: "a new file",
			Fix: "name a file that does not exist yet, in a folder that exists and that you may write", Err: err}
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
	return "", &fault.Error{Class: fault.Usage, Reason: "Usage", Object: "flag --report", Seen: fmt.Sprintf("invalid value %q", path), Wanted: "a file that ends in .html or .md",
		Fix: "did you mean --report " + fault.Command(strings.TrimSuffix(path, filepath.Ext(path))+".html") + "?"}
}
