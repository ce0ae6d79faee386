package cli

import (
	"encoding/xml"
	"errors"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/awsmigrate/awsmigrate/pkg/migration/procedure"
	"github.com/awsmigrate/awsmigrate/pkg/verify/position"
)

const picturesFolder = "docs/pictures"

// pictures returns the pictures of the documentation by file name. They are kept by hand.
func pictures(t *testing.T) map[string]string {
	t.Helper()
	entries, err := os.ReadDir(filepath.Join(repository, picturesFolder))
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{}
	for _, entry := range entries {
		files[entry.Name()] = readDoc(t, picturesFolder+"/"+entry.Name())
	}
	return files
}

// TestPicturesStandAlone checks that a picture is XML, describes in words what it shows,
// loads nothing from elsewhere, and is small.
func TestPicturesStandAlone(t *testing.T) {
	for name, text := range pictures(t) {
		words := elementTexts(t, name, text)
		if words["title"] == "" || len(words["desc"]) < 50 {
			t.Errorf("%s has the title %q and the description %q", name, words["title"], words["desc"])
		}
		outside := strings.ReplaceAll(text, `xmlns="http://www.w3.org/2000/svg"`, "")
		outside = strings.ReplaceAll(outside, "url(#", "") // a pattern of its own
		for _, mark := range []string{"http", "url(", "@import", "href", "<script", "<image"} {
			if strings.Contains(outside, mark) {
				t.Errorf("%s contains %q", name, mark)
			}
		}
		if len(text) > 20_000 {
			t.Errorf("%s has %d bytes", name, len(text))
		}
	}
}

// elementTexts parses a picture and returns the text of its elements by their names.
func elementTexts(t *testing.T, name, text string) map[string]string {
	t.Helper()
	decoder, words, element := xml.NewDecoder(strings.NewReader(text)), map[string]string{}, ""
	for {
		token, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			return words
		}
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		switch token := token.(type) {
		case xml.StartElement:
			element = token.Name.Local
		case xml.CharData:
			words[element] += strings.TrimSpace(string(token))
		}
	}
}

// TestPicturesAreShown checks that a page shows each picture, with words for readers who
// do not see it.
func TestPicturesAreShown(t *testing.T) {
	shown, image := map[string]bool{}, regexp.MustCompile(`!\[([^\]]*)\]\(([^)]+)\)`)
	for _, page := range pages(t) {
		for _, match := range image.FindAllStringSubmatch(readDoc(t, page), -1) {
			if len(match[1]) < 20 {
				t.Errorf("%s shows %s with the words %q", page, match[2], match[1])
			}
			shown[filepath.Base(match[2])] = true
		}
	}
	for name := range pictures(t) {
		if !shown[name] {
			t.Errorf("no page shows %s", name)
		}
	}
}

// TestLadderHasEveryStep checks that the ladder shows every position and every step of a
// migration and of its undo.
func TestLadderHasEveryStep(t *testing.T) {
	text := pictures(t)["ladder.svg"]
	for _, info := range procedure.StepInfos() {
		if !regexp.MustCompile(`[>, ]` + string(info.ID) + `[<,]`).MatchString(text) {
			t.Errorf("the ladder lacks %s", info.ID)
		}
	}
	for _, p := range position.All() {
		if _, back := procedure.StepsAt(p); !strings.Contains(text, ">"+p.String()+"<") || !strings.Contains(text, ">"+string(back)+"<") && back != "" {
			t.Errorf("the ladder lacks %s, or %s", p, back)
		}
		if !strings.Contains(text, ">"+p.Words()+"<") {
			t.Errorf("the ladder describes %s in other words than %q", p, p.Words())
		}
	}
}
