//go:build !unix

package lock

// noFollow has no counterpart here.
const noFollow = 0
