// Package oci makes the image: an index for several architectures, on no base at all, as
// an OCI image layout.
//
// It reads no clock and pulls nothing.
package oci
