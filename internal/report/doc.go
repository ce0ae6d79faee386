// Package report says for people what a record came to: in a sentence, as lines, as
// Markdown with one static SVG, and as one HTML file that needs no network, no script and
// no font of its own. It is a function of a judgement and takes no client.
package report
