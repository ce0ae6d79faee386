// Package report presents a record to people: in a sentence, as lines, as Markdown with one
// static SVG, and as one HTML file that needs no network, no script and no font. It is a function
// of a judgement and takes no client.
package report
