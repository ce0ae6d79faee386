package pack

import (
	"fmt"
	"strings"
)

// Notes are what a changelog says of a version: the text below its heading, as Keep a
// Changelog has them. A version before a release may have none of its own; then what is
// not released yet counts. file is for the error of a version that nothing is said of.
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

// section is the text between the heading of that name and the next one, or the links at
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

// NotesPage is the page of a release: what is new, and what was built from what.
func NotesPage(text string, version Version, commit, goVersion string) string {
	return fmt.Sprintf("%s\n\n### Build\n\nCommit %s, %s. `GOTOOLCHAIN=%s make release VERSION=%s` of that commit makes the same files; docs/releases.md has how to verify them.\n",
		text, commit, goVersion, goVersion, version)
}
