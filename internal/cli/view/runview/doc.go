// Package runview shows a run while it works and how it ended: as permanent lines, on a live board, as a
// document, or as one JSON line for each event. It also prints the choices after an interrupt.
//
// It takes events and a result. It knows no step by its name, asks no questions itself, and never decides
// whether a run continues.
package runview
