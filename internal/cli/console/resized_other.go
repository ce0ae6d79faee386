//go:build !unix

package console

import "os"

// watchResize returns no channel: the size is read for every frame anyway.
func watchResize() (<-chan os.Signal, func()) { return nil, func() {} }
