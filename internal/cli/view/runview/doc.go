// Package runview shows a run as it goes and how it ended: in lines that stay, on a board
// that is drawn anew, as a document or as a line of JSON for each event; and what somebody
// can choose who interrupts one.
//
// It takes events and a result. It knows no step by its name, asks nobody anything, and
// never decides whether a run goes on.
package runview
