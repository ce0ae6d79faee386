package build

import (
	"regexp"
	"strings"
)

// home is where the sources are published.
const home = "https://github.com/awsmigrate/awsmigrate"

// release is a version that somebody tagged. Go's versions of commits between two tags
// have a time in them.
var release = regexp.MustCompile(`^v\d+\.\d+\.\d+(-(alpha|beta|rc)[.\d]*)?$`)

// Source is the address of a file of the sources of this build, such as docs/rke.md: of
// its release, else its commit, else of what is newest.
func (s Stamp) Source(path string) string {
	at := "main"
	switch {
	case release.MatchString(s.Version):
		at = s.Version
	case s.Commit != "" && !strings.HasSuffix(s.Commit, "+dirty"):
		at = s.Commit
	}
	return home + "/blob/" + at + "/" + path
}
