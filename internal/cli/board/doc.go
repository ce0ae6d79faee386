// Package board renders the live view of a run on a terminal: a few lines at the end of the screen,
// redrawn every second. State accumulates the events of a run, Render turns it into lines, and Painter
// draws and erases them. State and Render use no clock, terminal or client.
//
// It knows no distributions and decides nothing about a cluster. The wording of a text never decides
// what is shown.
package board
