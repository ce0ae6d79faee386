// Package notation reads values of an RKE2 configuration and compares their meaning: JSON values
// from any decoder, lists of arguments, label selectors with and without empty fields.
//
// It must not know a key of the configuration, a machine or a place.
package notation
