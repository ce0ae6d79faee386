package canvas

import (
	"fmt"
	"html"
	"strings"

	"github.com/awsmigrate/awsmigrate/internal/plaintext"
)

// Canvas is a picture in the making. It has a page of its own under what is drawn: where
// it is shown nobody knows whether the surroundings are light or dark.
type Canvas struct {
	Width, Height int
	title, desc   string
	extra         string
	body          strings.Builder
}

// New is an empty page of that size, in pixels. The title names the picture, and desc
// says in words what it shows.
func New(width, height int, title, desc string) *Canvas {
	return &Canvas{Width: width, Height: height, title: title, desc: desc}
}

// Style adds rules to those of all pictures.
func (c *Canvas) Style(rules string) { c.extra += rules }

// Escape is other people's text within an element or an attribute: one line, without what
// XML has no way to write.
func Escape(text string) string {
	return html.EscapeString(strings.Map(func(r rune) rune {
		if r == 0xfffe || r == 0xffff {
			return '·'
		}
		return r
	}, plaintext.Line(text)))
}

// Raw adds an element as it is written; what is not the program's own goes through Escape.
func (c *Canvas) Raw(format string, args ...any) {
	fmt.Fprintf(&c.body, format+"\n", args...)
}

// Titled draws things that give one fact to whoever points at them.
func (c *Canvas) Titled(fact string, draw func()) {
	c.Raw("<g><title>%s</title>", Escape(fact))
	draw()
	c.Raw("</g>")
}

// style of all pictures. Fonts are those that a reader's machine has. kcm and ccm are the
// colours of what kube-controller-manager and the CCM run, on and back those of the steps
// of a migration and of its undo.
const style = `
text{font:14px system-ui,-apple-system,"Segoe UI","Noto Sans",Helvetica,Arial,sans-serif;fill:#1f2328}
.code{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;font-size:13px}
.small{font-size:12px}.tiny{font-size:10px}.dim{fill:#59636e}.bold{font-weight:600}.end{text-anchor:end}.middle{text-anchor:middle}
.page{fill:#ffffff;stroke:#d1d9e0}.box{fill:#f6f8fa;stroke:#b6c0ca}.inner{fill:#ffffff;stroke:#b6c0ca}
.kcm{fill:#0b6bcb}.ccm{fill:#b35900}.gap{fill:#ffdcd7}.bad{fill:#b42318}.band{fill:#eaeef2}.other{fill:#dfe5eb}
.on{fill:#1a7f37;stroke:#1a7f37}.back{fill:#8250df;stroke:#8250df}.flow{fill:#59636e;stroke:#59636e}.axis{stroke:#b6c0ca}
text.on,text.back,text.flow{stroke:none}
.line{fill:none;stroke-width:1.6}.light{fill:#ffffff}
@media (prefers-color-scheme:dark){
text{fill:#e6edf3}.dim{fill:#9da7b1}.page{fill:#0d1117;stroke:#3d444d}.box{fill:#161b22;stroke:#4b535d}.inner{fill:#0d1117;stroke:#4b535d}
.kcm{fill:#58a6ff}.ccm{fill:#f0a04b}.gap{fill:#4d1f1c}.bad{fill:#ff8a80}.band{fill:#21262d}.other{fill:#30363d}
.on{fill:#56d364;stroke:#56d364}.back{fill:#bc8cff;stroke:#bc8cff}.flow{fill:#9da7b1;stroke:#9da7b1}.axis{stroke:#4b535d}
.line{fill:none}.light{fill:#0d1117}
}
`

// Text is one line that begins, ends or has its middle at x, by its class.
func (c *Canvas) Text(x, y int, class, text string) {
	fmt.Fprintf(&c.body, "<text x=\"%d\" y=\"%d\" class=\"%s\">%s</text>\n", x, y, class, Escape(text))
}

// Bar is a box whose ends are moments.
func (c *Canvas) Bar(x, y, width, height float64, class string) {
	fmt.Fprintf(&c.body, "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" class=\"%s\"/>\n", x, y, width, height, class)
}

// Line is straight.
func (c *Canvas) Line(x1, y1, x2, y2 float64, class string) {
	fmt.Fprintf(&c.body, "<path d=\"M%.1f %.1fL%.1f %.1f\" class=\"%s line\"/>\n", x1, y1, x2, y2, class)
}

// SVG is the finished file.
func (c *Canvas) SVG() []byte {
	var file strings.Builder
	fmt.Fprintf(&file, "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\" role=\"img\" aria-labelledby=\"title desc\">\n",
		c.Width, c.Height, c.Width, c.Height)
	fmt.Fprintf(&file, "<title id=\"title\">%s</title>\n<desc id=\"desc\">%s</desc>\n", Escape(c.title), Escape(c.desc))
	fmt.Fprintf(&file, "<style>%s</style>\n", style+c.extra)
	fmt.Fprintf(&file, "<rect x=\"0.5\" y=\"0.5\" width=\"%d\" height=\"%d\" rx=\"8\" class=\"page\"/>\n", c.Width-1, c.Height-1)
	file.WriteString(c.body.String())
	file.WriteString("</svg>\n")
	return []byte(file.String())
}
