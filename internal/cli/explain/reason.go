package explain

import (
	"bytes"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/awsmigrate/awsmigrate/docs"
	"github.com/awsmigrate/awsmigrate/internal/cli/view"
	"github.com/awsmigrate/awsmigrate/internal/page"
)

// docPage returns an embedded page of docs, or "" if it is not embedded.
func docPage(name string) string {
	text, err := docs.Pages.ReadFile(name)
	if err != nil {
		return ""
	}
	return string(withoutFoot(text))
}

// withoutFoot returns a page without its links to other pages.
func withoutFoot(text []byte) []byte {
	if at := bytes.LastIndex(text, []byte("\n---\n")); at >= 0 && bytes.Contains(text[at:], []byte("[All ")) {
		return text[:at]
	}
	return text
}

// reasons returns all reasons of errors.
func reasons() []string { return page.Words(docPage(view.ReasonsPage)) }

// explainReason collects the rows of the pages about a reason, or returns nil if it is unknown.
func explainReason(id string) *view.ExplainedReason {
	for _, name := range reasons() {
		if strings.EqualFold(name, id) {
			found := &view.ExplainedReason{ID: name}
			for _, row := range page.RowsOn(docPage(view.ReasonsPage), name) {
				found.Says = append(found.Says, passage(view.ReasonsPage, row))
			}
			found.Says = append(found.Says, elsewhere(name)...)
			return found
		}
	}
	return nil
}

// elsewhere returns the passages of other pages.
func elsewhere(name string) []view.Passage {
	var says []view.Passage
	_ = fs.WalkDir(docs.Pages, ".", func(file string, entry fs.DirEntry, err error) error { // embedded files are always readable
		if err != nil || entry.IsDir() || file == view.ReasonsPage {
			return err
		}
		for _, row := range page.RowsOn(docPage(file), name) {
			if p := passage(file, row); !slices.ContainsFunc(says, func(said view.Passage) bool { return slices.Equal(said.Facts, p.Facts) }) {
				says = append(says, p)
			}
		}
		for _, sentence := range page.SentencesOn(docPage(file), name) {
			says = append(says, view.Passage{Page: path.Join("docs", file), Facts: []view.Fact{{Text: sentence}}})
		}
		return nil
	})
	return says
}

// passage returns a row without its first cell.
func passage(file string, row page.Row) view.Passage {
	p := view.Passage{Page: path.Join("docs", file), Section: row.Section}
	for i, cell := range row.Cells {
		if i > 0 && i < len(row.Heads) && cell != "" && row.Heads[i] != view.MorePages {
			p.Facts = append(p.Facts, view.Fact{Name: row.Heads[i], Text: cell})
		}
	}
	return p
}
