//go:build !unix

package ownfile

import "io/fs"

// noFollow has no equivalent on this system.
const noFollow = 0

// foreign cannot see names or owners on this system.
func foreign(fs.FileInfo) error { return nil }
