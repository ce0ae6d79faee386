package yamltext

import "bytes"

// orLineEnds returns the refusal of an undo, or one that names the line ends if the undo would
// work with the original line ends.
func (d *Document) orLineEnds(done Edit, bad *refusal) *refusal {
	now, then := "CRLF", "LF"
	text := bytes.ReplaceAll(d.text, []byte("\r\n"), []byte("\n"))
	if bytes.Contains(done.After, []byte("\r\n")) {
		now, then = then, now
		text = bytes.ReplaceAll(text, []byte("\n"), []byte("\r\n"))
	}
	if bytes.Equal(text, d.text) {
		return bad
	}
	if _, _, other := (&Document{source: newSource(text)}).putBack(done); other != nil {
		return bad
	}
	return &refusal{
		cause: causeUndo, seen: "its line ends are " + now + " now, " + then + " when the edit was made",
		wanted: then, fix: "convert its line ends back, then run again",
	}
}
