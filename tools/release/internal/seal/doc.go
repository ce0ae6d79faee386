// Package seal proves that the files of a release are those that were made: their
// checksums in one list, and a signature of that list.
//
// It asks nobody: keys and files come in from outside.
package seal
