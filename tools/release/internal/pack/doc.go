// Package pack makes the files of a release that depend only on values: archives, manual
// pages, completion scripts, the manifest for krew, notes, bills of materials.
//
// It reads no clock and runs no program. Equal values give equal bytes.
package pack
