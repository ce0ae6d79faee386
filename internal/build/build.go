// Package build knows which build of awsmigrate this process is.
package build

import "runtime/debug"

// Stamp is a build as Go stamped it.
type Stamp struct {
	Version string `json:"version"`          // of the module; "devel" for a build that Go did not stamp
	Commit  string `json:"commit,omitempty"` // of the source, with "+dirty" for a tree with changes
}

// String is the version, with the commit of a build that has no other name.
func (s Stamp) String() string {
	if s.Version != "devel" || s.Commit == "" {
		return s.Version
	}
	return s.Version + " " + s.Commit
}

// This is the running build.
func This() Stamp {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return of(&debug.BuildInfo{})
	}
	return of(info)
}

func of(info *debug.BuildInfo) Stamp {
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
