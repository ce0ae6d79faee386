// Package bounded reads documents from outside within limits: on their bytes, on the number
// of values in them, and on their depth. It checks all of them before memory is spent on
// what a document holds: three kilobytes of compressed empty objects decode into hundreds of
// megabytes.
//
// It is a leaf. Each limit is a constant where its document is read, next to the size of the
// largest honest one. Writers check the same limits, so that nothing is written which cannot
// be read again.
package bounded
