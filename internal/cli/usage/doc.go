// Package usage holds what the whole command tree gets: help, completion, the names under which the program is
// started, the -o flag, and errors for unknown words, flags and values.
package usage
