package main

import (
	"fmt"
	"html"
	"strings"
)

// canvas is a picture in the making. It has a page of its own under what is drawn: where
// it is shown nobody knows whether the surroundings are light or dark.
type canvas struct {
	width, height int
	title, desc   string
	body          strings.Builder
}

func newCanvas(width, height int, title, desc string) *canvas {
	return &canvas{width: width, height: height, title: title, desc: desc}
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

func (c *canvas) text(x, y int, class, text string) {
	fmt.Fprintf(&c.body, "<text x=\"%d\" y=\"%d\" class=\"%s\">%s</text>\n", x, y, class, html.EscapeString(text))
}

// lines are texts below each other.
func (c *canvas) lines(x, y, step int, class string, texts ...string) {
	for i, text := range texts {
		c.text(x, y+i*step, class, text)
	}
}

func (c *canvas) box(x, y, width, height int, class string) {
	fmt.Fprintf(&c.body, "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" rx=\"6\" class=\"%s\"/>\n", x, y, width, height, class)
}

// bar is a box without round corners: its ends are moments.
func (c *canvas) bar(x, y, width, height float64, class string) {
	fmt.Fprintf(&c.body, "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" class=\"%s\"/>\n", x, y, width, height, class)
}

func (c *canvas) line(x1, y1, x2, y2 float64, class string) {
	fmt.Fprintf(&c.body, "<path d=\"M%.1f %.1fL%.1f %.1f\" class=\"%s line\"/>\n", x1, y1, x2, y2, class)
}

// point is a corner of an arrow.
type point struct{ x, y int }

// arrow goes along points, with straight pieces, and ends in a head.
func (c *canvas) arrow(class string, way ...point) {
	last, before := way[len(way)-1], way[len(way)-2]
	dx, dy := sign(last.x-before.x), sign(last.y-before.y)
	const length, half = 9, 5
	base := point{last.x - dx*length, last.y - dy*length}
	path := fmt.Sprintf("M%d %d", way[0].x, way[0].y)
	for _, p := range append(way[1:len(way)-1:len(way)-1], base) {
		path += fmt.Sprintf("L%d %d", p.x, p.y)
	}
	fmt.Fprintf(&c.body, "<path d=\"%s\" class=\"%s line\"/>\n", path, class)
	fmt.Fprintf(&c.body, "<path d=\"M%d %dL%d %dL%d %dZ\" class=\"%s\"/>\n",
		last.x, last.y, base.x+dy*half, base.y+dx*half, base.x-dy*half, base.y-dx*half, class)
}

func sign(n int) int {
	switch {
	case n > 0:
		return 1
	case n < 0:
		return -1
	}
	return 0
}

// svg is the finished file.
func (c *canvas) svg() []byte {
	var file strings.Builder
	fmt.Fprintf(&file, "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\" role=\"img\" aria-labelledby=\"title desc\">\n",
		c.width, c.height, c.width, c.height)
	fmt.Fprintf(&file, "<title id=\"title\">%s</title>\n<desc id=\"desc\">%s</desc>\n", html.EscapeString(c.title), html.EscapeString(c.desc))
	fmt.Fprintf(&file, "<style>%s</style>\n", style)
	fmt.Fprintf(&file, "<rect x=\"0.5\" y=\"0.5\" width=\"%d\" height=\"%d\" rx=\"8\" class=\"page\"/>\n", c.width-1, c.height-1)
	file.WriteString(c.body.String())
	file.WriteString("</svg>\n")
	return []byte(file.String())
}
