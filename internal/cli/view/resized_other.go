//go:build !unix

package view

import "os"

// resized tells of nothing: the size is asked for at every frame anyhow.
func resized() (<-chan os.Signal, func()) { return nil, func() {} }
