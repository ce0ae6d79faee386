package ownfile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
)

// open opens a file that belongs to awsmigrate beside cluster.yml, where
// others may be able to write, and refuses what somebody else put in its place: a
// link (the open follows none), anything that is no regular file, a file with a
// second name, a file of another owner. Nothing was written to it then.
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

// logs is how many runs of rke one run of awsmigrate can keep the output of.
const logs = 100

// CreateLog makes the file for the output of one run of rke, which only its owner may
// read. It is never one that is there: where the name is taken, by an earlier rke of
// this run or by somebody's file or link, the next number is tried.
func CreateLog(path string) (*os.File, error) {
	for n := 1; ; n++ {
		name := path
		if n > 1 {
			name = fmt.Sprintf("%s-%d.log", strings.TrimSuffix(path, ".log"), n)
		}
		file, err := open(name, os.O_CREATE|os.O_EXCL|os.O_APPEND|os.O_RDWR)
		if err == nil || !errors.Is(err, fs.ErrExist) || n >= logs {
			return file, err
		}
	}
}
