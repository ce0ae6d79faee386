package canvas

import (
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"
)

// What is drawn is XML, whatever it says.
func TestHostileText(t *testing.T) {
	hostile := "</title><script>alert(1)</script>\x00\x1b[31m\u202e\uffff\xff\"'&"
	c := New(10, 10, hostile, hostile)
	c.Titled(hostile, func() { c.Text(1, 2, "small", hostile) })
	text := string(c.SVG())
	decoder := xml.NewDecoder(strings.NewReader(text))
	for {
		token, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatalf("%v in\n%s", err, text)
		}
		if e, is := token.(xml.StartElement); is && e.Name.Local == "script" {
			t.Error("a text became an element")
		}
	}
}
