// Package console provides the standard streams and their terminal: its width, colors, character set
// and keys, and a Screen that writes lines for people.
//
// It knows no clusters, runs or documents, and does not decide what is shown.
package console
