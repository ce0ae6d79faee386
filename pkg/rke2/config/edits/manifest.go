package edits

import (
	"fmt"
	"slices"
	"strings"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/rke2/config"
)

// locate finds a chart's document in a manifest. It returns an error for a manifest that RKE2
// could not read either, since RKE2 would apply none of it, and for a chart that occurs twice
// or inside a List.
func locate(object, text string, chart Chart) (doc document, found bool, err error) {
	unreadable := func(line int, err error) error {
		return &fault.Error{
			Class: fault.Check, Reason: "UnreadableManifest", Object: object,
			Seen:   fmt.Sprintf("additionalManifest, document at line %d", line),
			Wanted: "YAML documents that RKE2 can apply", Fix: "correct or remove that document", Err: err,
		}
	}
	docs, err := documents(text)
	if err != nil {
		return document{}, false, unreadable(1, err)
	}
	for _, d := range docs {
		if isBlank(text[d.start:d.end]) {
			continue
		}
		h, err := d.readHeader(text)
		if err != nil {
			return document{}, false, unreadable(d.line, err)
		}
		for _, item := range h.Items {
			if chart.is(item) {
				return document{}, false, refuse(object, "ChartInList", fmt.Sprintf("additionalManifest has %s inside a %s at line %d", chart, h.Kind, d.line),
					"a separate document", "remove it from the list")
			}
		}
		if !chart.is(h) {
			continue
		}
		if found {
			return document{}, false, refuse(object, "ChartTwice", fmt.Sprintf("additionalManifest has %s at lines %d and %d", chart, doc.line, d.line),
				"one document", "remove one of them")
		}
		doc, found = d, true
	}
	return doc, found, nil
}

// ChartManifest returns the document of a chart in additionalManifest, without the comments
// around it.
func ChartManifest(s config.Spec, chart Chart) (text string, found bool, err error) {
	d, found, err := locate(s.Object, s.AdditionalManifest, chart)
	if err != nil || !found {
		return "", false, err
	}
	body := s.AdditionalManifest[d.start:d.end]
	core := trimComments(body)
	return body[core.start:core.end], true, nil
}

// SetChartManifest writes one HelmChart document to additionalManifest: in place of the document
// with its name, or at the end. All other bytes remain, including comments around a replaced
// document. It does not write comments around the given document.
func SetChartManifest(s config.Spec, chart Chart, doc string) (Edit, error) {
	core := trimComments(doc)
	doc = strings.TrimSuffix(doc[core.start:core.end], "\n") + "\n"
	if d, found, err := locate(s.Object, doc, chart); err != nil || !found || d.separator >= 0 || d.end != len(doc) {
		return Edit{}, &fault.Error{
			Class: fault.Unexpected, Reason: "BadChartDocument", Object: s.Object,
			Seen: "the document to add", Wanted: "one document with " + chart.String(), Err: err,
		}
	}
	old, found, err := locate(s.Object, s.AdditionalManifest, chart)
	if err != nil {
		return Edit{}, err
	}
	e := newEditor(s)
	o := setManifest{chart: chart, before: s.AdditionalManifest, had: s.HasManifest, has: true, newDoc: doc}
	if found {
		body := s.AdditionalManifest[old.start:old.end]
		core := trimComments(body)
		o.oldDoc = body[core.start:core.end]
		if core.end < len(body) || old.end < len(s.AdditionalManifest) || strings.HasSuffix(o.oldDoc, "\n") {
			o.after = s.AdditionalManifest[:old.start] + body[:core.start] + doc + body[core.end:] + s.AdditionalManifest[old.end:]
		} else {
			o.after = s.AdditionalManifest[:old.start] + body[:core.start] + strings.TrimSuffix(doc, "\n")
			o.newDoc = strings.TrimSuffix(doc, "\n")
		}
	} else {
		o.glue = glue(s.AdditionalManifest)
		o.after = s.AdditionalManifest + o.glue + doc
	}
	if o.after == o.before {
		return e.edit, nil
	}
	if err := e.do(o); err != nil {
		return Edit{}, err
	}
	if err := e.proveManifest(s, chart, doc); err != nil {
		return Edit{}, err
	}
	return e.edit, nil
}

// proveManifest reads the result back: the chart's document must equal doc, which is empty if the
// document must be absent, and every other document must be unchanged.
func (e *editor) proveManifest(before config.Spec, chart Chart, doc string) error {
	got, _, err := ChartManifest(e.spec, chart)
	if err != nil {
		return err
	}
	was, err := otherDocuments(before, chart)
	if err != nil {
		return err
	}
	is, err := otherDocuments(e.spec, chart)
	if err != nil {
		return err
	}
	if strings.TrimRight(got, "\r\n") != strings.TrimRight(doc, "\r\n") || !slices.Equal(was, is) {
		return refuse(before.Object, "ManifestNotSafe", "additionalManifest cannot be edited without changing its other documents",
			"a manifest that can be added to", "end its last document with a line break and a line ---")
	}
	return nil
}

// otherDocuments returns all documents except a chart's and blank ones, without their final
// line breaks: RKE2 reads line by line and adds a final one.
func otherDocuments(s config.Spec, chart Chart) ([]string, error) {
	ours, found, err := locate(s.Object, s.AdditionalManifest, chart)
	if err != nil {
		return nil, err
	}
	docs, err := documents(s.AdditionalManifest)
	if err != nil {
		return nil, fmt.Errorf("read additionalManifest of %s: %w", s.Object, err)
	}
	var out []string
	for _, d := range docs {
		text := s.AdditionalManifest[d.start:d.end]
		if found && d == ours {
			core := trimComments(text)
			text = text[:core.start] + text[core.end:]
		}
		if strings.TrimSpace(text) != "" {
			out = append(out, strings.TrimRight(text, "\r\n"))
		}
	}
	return out, nil
}

// glue returns the text required between a manifest and a document added to it.
func glue(text string) string {
	docs, err := documents(text)
	if err == nil {
		last := docs[len(docs)-1]
		if strings.TrimSpace(strings.TrimPrefix(text[last.start:], "\ufeff")) == "" && (text == "" || strings.HasSuffix(text, "\n")) {
			return ""
		}
	}
	eol := "\n"
	if strings.Contains(text, "\r\n") {
		eol = "\r\n"
	}
	if strings.HasSuffix(text, "\n") {
		return "---" + eol
	}
	return eol + "---" + eol
}

// RemoveChartManifest removes a chart's document from additionalManifest, with the separator
// before it. All other bytes remain, including comments around the document and on the
// separator's line. The edit is empty if the document is absent.
func RemoveChartManifest(s config.Spec, chart Chart) (Edit, error) {
	d, found, err := locate(s.Object, s.AdditionalManifest, chart)
	if err != nil || !found {
		return Edit{Object: s.Object, root: s.Root}, err
	}
	text := s.AdditionalManifest
	body := text[d.start:d.end]
	core := trimComments(body)
	after := text[:d.start+core.start] + text[d.start+core.end:]
	if d.separator >= 0 && strings.TrimSpace(text[d.separator:d.start]+body[:core.start]+body[core.end:]) == "---" {
		after = text[:d.separator] + text[d.end:]
	}
	e := newEditor(s)
	err = e.do(setManifest{chart: chart, before: text, had: true, after: after, has: true, oldDoc: body[core.start:core.end]})
	if err != nil {
		return Edit{}, err
	}
	if err := e.proveManifest(s, chart, ""); err != nil {
		return Edit{}, err
	}
	return e.edit, nil
}

// RemoveChart returns the edit that removes a chart's document as the edit of the inverse added
// it: with the text added before it, and with the field if that was absent. The document's text
// may have changed since. ok is false if that edit added no such document.
func (inv Inverse) RemoveChart(s config.Spec, chart Chart) (Edit, bool, error) {
	for _, u := range inv.Undo {
		m := u.Manifest
		if u.Kind != UndoManifest || m == nil || m.Chart != chart || m.Removed || m.Replaced != "" {
			continue
		}
		e := newEditor(s)
		d, found, err := locate(s.Object, s.AdditionalManifest, chart)
		if err == nil && found {
			err = e.cutAdded(d, *m)
		}
		if err != nil {
			return Edit{}, true, err
		}
		return e.edit, true, nil
	}
	return Edit{}, false, nil
}

// cutAdded removes a document that was added with glue before it. A manifest that no other writer
// touched is then the original, to the byte.
func (e *editor) cutAdded(d document, m ManifestUndo) error {
	before := e.spec
	text := before.AdditionalManifest
	core := trimComments(text[d.start:d.end])
	head, doc, tail := text[:d.start+core.start], text[d.start+core.start:d.start+core.end], text[d.start+core.end:]
	switch {
	case !strings.HasSuffix(head, m.Glue):
	case tail == "":
		head = strings.TrimSuffix(head, m.Glue)
	case strings.HasPrefix(tail, "---") && m.Glue != "":
		// Documents were added after ours. They now need the line break that ours needed.
		head = head[:len(head)-len(strings.TrimLeft(m.Glue, "\r\n"))]
	}
	o := setManifest{chart: m.Chart, before: text, had: true, after: head + tail, has: true, oldDoc: doc}
	if m.Created && o.after == "" {
		o.has = false
	}
	if err := e.do(o); err != nil {
		return err
	}
	return e.proveManifest(before, m.Chart, "")
}
