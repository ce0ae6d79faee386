// Package console is what a process has of the one who runs it: the three standard
// streams, what is known of the terminal behind them, keys that are pressed there, and a
// screen, which writes lines for people as wide, in the colours and in the characters
// that the terminal can show.
//
// It knows no cluster, no run and no document, and decides nothing about what is shown.
package console
