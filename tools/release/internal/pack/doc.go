// Package pack makes the files of a release that follow from values: archives, manual
// pages, completion scripts, the manifest for krew, notes, bills of materials.
//
// It reads no clock, runs no program, and what it makes of the same values is the same
// to the byte.
package pack
