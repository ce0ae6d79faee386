//go:build !unix

package ownfile

import "os"

// tryLock knows no lock here; the Lease is all there is.
func tryLock(*os.File) (bool, error) { return true, nil }
