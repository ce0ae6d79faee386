// Package app holds what every command of the command line shares: the streams, the signals of the process, the
// question at an interrupt, and the output that goes on in a log when the terminal is gone.
package app
