// Package bounded reads documents from outside within limits on their bytes, values and depth.
// It checks the limits before it decodes: three kilobytes of compressed empty objects decode
// into hundreds of megabytes.
//
// It is a leaf. Each limit is a constant in the package that reads the document, next to the
// size of the largest genuine document. Writers check the same limits, so that each document
// they write can be read again.
package bounded
