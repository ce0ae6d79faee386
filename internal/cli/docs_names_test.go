package cli

import (
	"io/fs"
	"os"
	"regexp"
	"strings"
	"testing"
)

// A page that says which test holds something names one that there is.
func TestTestsNamedInDocsExist(t *testing.T) {
	known := map[string]bool{}
	declared := regexp.MustCompile(`(?m)^func ((?:Test|Fuzz)\w+)\(`)
	err := fs.WalkDir(os.DirFS(repository), ".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		text, err := fs.ReadFile(os.DirFS(repository), path)
		for _, match := range declared.FindAllStringSubmatch(string(text), -1) {
			known[match[1]] = true
		}
		return err
	})
	if err != nil || len(known) == 0 {
		t.Fatalf("%d tests, %v", len(known), err)
	}
	named := regexp.MustCompile("`((?:Test|Fuzz)[A-Z]\\w+)")
	for _, page := range pages(t) {
		for _, match := range named.FindAllStringSubmatch(readDoc(t, page), -1) {
			if !known[match[1]] {
				t.Errorf("%s names %s, which is no test", page, match[1])
			}
		}
	}
}
