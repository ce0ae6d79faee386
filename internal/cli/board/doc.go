// Package board is what a person sees while a run works on a terminal: a few lines at
// the end of the screen, drawn anew each second. State is what the events of a run come
// to, Render makes lines of it, both without a clock, a terminal or a client; Painter
// puts lines on a terminal, and takes them away again for what stays.
//
// It knows no distribution and decides nothing about a cluster; what a text says never
// decides what it shows.
package board
