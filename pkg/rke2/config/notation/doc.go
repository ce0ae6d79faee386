// Package notation is how values of an RKE2 configuration are written, and when two of
// them say the same: JSON values whatever decoded them, lists of arguments, label
// selectors with and without their empty halves.
//
// It may not know a key of the configuration, a machine or a place.
package notation
