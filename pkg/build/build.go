// Package build describes the build of this awsmigrate process.
package build

import "runtime/debug"

// Stamp holds the version data that Go stamped into the binary.
type Stamp struct {
	Version string `json:"version"`          // module version; "devel" if Go did not stamp the build
	Commit  string `json:"commit,omitempty"` // source commit, with "+dirty" if the tree had changes
}

// String returns the version, and the commit if the version is "devel".
func (s Stamp) String() string {
	if s.Version != "devel" || s.Commit == "" {
		return s.Version
	}
	return s.Version + " " + s.Commit
}

// This returns the running build.
func This() Stamp {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return stampOf(&debug.BuildInfo{})
	}
	return stampOf(info)
}

func stampOf(info *debug.BuildInfo) Stamp {
	stamp := Stamp{Version: "devel"}
	if v := info.Main.Version; v != "" && v != "(devel)" {
		stamp.Version = v
	}
	dirty := ""
	for _, setting := range info.Settings {
		switch {
		case setting.Key == "vcs.revision":
			stamp.Commit = setting.Value
		case setting.Key == "vcs.modified" && setting.Value == "true":
			dirty = "+dirty"
		}
	}
	if stamp.Commit != "" {
		stamp.Commit += dirty
	}
	return stamp
}
