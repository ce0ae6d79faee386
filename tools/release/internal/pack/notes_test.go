package pack

import (
	"strings"
	"testing"
)

const changelog = `# Changelog

## [Unreleased]

### Added

- what comes

## [0.1.0] - 2026-12-01

### Added

- a [link](docs/x.md)

## [0.0.9]

## [0.0.1]
- first

[Unreleased]: https://example/compare
[0.1.0]: https://example/0.1.0
`

func TestNotes(t *testing.T) {
	for tag, want := range map[string]string{
		"v0.1.0": "### Added\n\n- a [link](docs/x.md)", "v0.0.1": "- first",
		"v0.2.0-rc.1": "### Added\n\n- what comes",
		"v0.2.0":      "", "v0.0.9": "", "v0.1": "",
	} {
		v, err := ParseVersion(tag)
		if err != nil {
			continue
		}
		got, err := Notes("CHANGELOG.md", changelog, v)
		if got != want || (err == nil) != (want != "") {
			t.Errorf("%s: %q, %v", tag, got, err)
		}
		if err != nil && (!strings.Contains(err.Error(), "CHANGELOG.md") || !strings.Contains(err.Error(), `## [`+v.Number()+`]`)) {
			t.Errorf("%s: the error names neither file nor section: %v", tag, err)
		}
	}
}

func TestNotesPageSaysHowItWasBuilt(t *testing.T) {
	v, err := ParseVersion("v0.1.0")
	if err != nil {
		t.Fatal(err)
	}
	page := NotesPage("- new", v, "abc", "go1.26.8")
	if !strings.HasPrefix(page, "- new\n") || !strings.Contains(page, "abc") || !strings.Contains(page, "GOTOOLCHAIN=go1.26.8 make release VERSION=v0.1.0") {
		t.Error(page)
	}
}
