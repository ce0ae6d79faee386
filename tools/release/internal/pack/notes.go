package pack

import (
	"fmt"
	"strings"
)

// Notes returns the section of a version in a changelog, in the format of Keep a Changelog. A
// prerelease may lack its own section; then the section of unreleased changes counts. file is
// the name of the changelog in errors.
func Notes(file, changelog string, version Version) (string, error) {
	wanted := []string{version.Number()}
	if version.Prerelease() {
		wanted = append(wanted, "Unreleased")
	}
	for _, name := range wanted {
		if text := section(changelog, name); text != "" {
			return text, nil
		}
	}
	return "", fmt.Errorf("%s: no text under a heading %q", file, "## ["+version.Number()+"] - DATE")
}

// section returns the text from the heading of this name to the next one, or to the links at
// the end.
func section(changelog, name string) string {
	var lines []string
	inside := false
	for line := range strings.Lines(changelog) {
		switch {
		case strings.HasPrefix(line, "## "):
			inside = strings.HasPrefix(line, "## ["+name+"]")
		case strings.HasPrefix(line, "[") && strings.Contains(line, "]: "):
			inside = false
		case inside:
			lines = append(lines, line)
		}
	}
	return strings.TrimSpace(strings.Join(lines, ""))
}

// NotesPage returns the page of a release: its changes, the commit and the Go version.
func NotesPage(text string, version Version, commit, goVersion string) string {
	return fmt.Sprintf("%s\n\n### Build\n\nCommit %s, %s. `GOTOOLCHAIN=%s make release VERSION=%s` of that commit makes the same files; docs/releases.md has how to verify them.\n",
		text, commit, goVersion, goVersion, version)
}
