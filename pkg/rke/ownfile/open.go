package ownfile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
)

// open opens a file of awsmigrate next to cluster.yml, in a folder that others may be able to
// write to. It refuses a link (which it never follows), anything but a regular file, a file with
// a second name, and a file of another owner. It writes nothing to a refused file.
func open(path string, flags int) (*os.File, error) {
	file, err := os.OpenFile(path, flags|noFollow, 0o600)
	if err != nil {
		return nil, err
	}
	info, err := file.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = errors.New("it is no regular file")
	}
	if err == nil {
		err = foreign(info)
	}
	if err != nil {
		_ = file.Close()
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return file, nil
}

// maxLogs is the maximum number of logs of rke in one run of awsmigrate.
const maxLogs = 100

// CreateLog creates the log file of one run of rke, which only its owner may read. It never opens
// an existing file: if the name exists, from an earlier rke of this run or from another user, it
// tries the next number.
func CreateLog(path string) (*os.File, error) {
	for n := 1; ; n++ {
		name := path
		if n > 1 {
			name = fmt.Sprintf("%s-%d.log", strings.TrimSuffix(path, ".log"), n)
		}
		file, err := open(name, os.O_CREATE|os.O_EXCL|os.O_APPEND|os.O_RDWR)
		if err == nil || !errors.Is(err, fs.ErrExist) || n >= maxLogs {
			return file, err
		}
	}
}
