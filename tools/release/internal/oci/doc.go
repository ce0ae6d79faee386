// Package oci makes the image: an index for several architectures, without a base, as an OCI
// image layout.
//
// It reads no clock and pulls nothing.
package oci
