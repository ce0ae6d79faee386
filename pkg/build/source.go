package build

import (
	"regexp"
	"strings"
)

// sourceHome is the address of the published sources.
const sourceHome = "https://github.com/awsmigrate/awsmigrate"

// releasePattern matches a tagged version. Go's pseudo-versions of other commits contain a time.
var releasePattern = regexp.MustCompile(`^v\d+\.\d+\.\d+(-(alpha|beta|rc)[.\d]*)?$`)

// Source returns the address of a source file of this build, such as docs/rke.md. It refers to
// the release, or else the commit, or else the main branch.
func (s Stamp) Source(path string) string {
	at := "main"
	switch {
	case releasePattern.MatchString(s.Version):
		at = s.Version
	case s.Commit != "" && !strings.HasSuffix(s.Commit, "+dirty"):
		at = s.Commit
	}
	return sourceHome + "/blob/" + at + "/" + path
}
