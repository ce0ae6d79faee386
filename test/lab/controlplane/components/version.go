package main

import (
	"strings"
	_ "unsafe" // for go:linkname
)

// A component logs the version of component-base; what its /version answers, and
// which deprecated APIs it serves, comes from client-go's.

//go:linkname gitVersion k8s.io/component-base/version.gitVersion
var gitVersion string

//go:linkname gitMajor k8s.io/component-base/version.gitMajor
var gitMajor string

//go:linkname gitMinor k8s.io/component-base/version.gitMinor
var gitMinor string

//go:linkname clientVersion k8s.io/client-go/pkg/version.gitVersion
var clientVersion string

//go:linkname clientMajor k8s.io/client-go/pkg/version.gitMajor
var clientMajor string

//go:linkname clientMinor k8s.io/client-go/pkg/version.gitMinor
var clientMinor string

// pretend sets the version that this process reports, unless version is empty.
func pretend(version string) {
	parts := strings.SplitN(strings.TrimPrefix(version, "v"), ".", 3)
	if len(parts) == 3 {
		gitVersion, gitMajor, gitMinor = version, parts[0], parts[1]
		clientVersion, clientMajor, clientMinor = version, parts[0], parts[1]
	}
}
