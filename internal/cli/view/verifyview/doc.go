// Package verifyview is what verify prints: the report of an audit in each of its
// formats, what changed from one look of a watch to the next, and which rights are
// missing, with what grants them.
//
// It takes results and answers. It makes no check, asks for no right, and knows no flag.
package verifyview
