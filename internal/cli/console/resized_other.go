//go:build !unix

package console

import "os"

// resized tells of nothing: the size is asked for at every frame anyhow.
func resized() (<-chan os.Signal, func()) { return nil, func() {} }
