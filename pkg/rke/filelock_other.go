//go:build !unix

package rke

import "os"

// tryLock knows no lock here; the Lease is all there is.
func tryLock(*os.File) (bool, error) { return true, nil }
