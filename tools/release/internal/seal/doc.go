// Package seal proves that the files of a release are unchanged: it lists their checksums, and
// signs that list.
//
// It uses no network: the caller passes keys and files.
package seal
