package main

import (
	"strings"
	_ "unsafe" // for go:linkname
)

// What /version answers, and what decides which deprecated APIs are served.

//go:linkname gitVersion k8s.io/component-base/version.gitVersion
var gitVersion string

//go:linkname gitMajor k8s.io/component-base/version.gitMajor
var gitMajor string

//go:linkname gitMinor k8s.io/component-base/version.gitMinor
var gitMinor string

// pretend sets the version that this process gives as its own; "" leaves it.
func pretend(version string) {
	parts := strings.SplitN(strings.TrimPrefix(version, "v"), ".", 3)
	if len(parts) == 3 {
		gitVersion, gitMajor, gitMinor = version, parts[0], parts[1]
	}
}
