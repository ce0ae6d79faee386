//go:build unix

package clusterfile

import (
	"io/fs"
	"os"
	"syscall"
)

func chown(f *os.File, info fs.FileInfo) error {
	want, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return nil
	}
	return f.Chown(int(want.Uid), int(want.Gid))
}
