//go:build !unix

package lock

// noFollow is a flag that exists only on Unix.
const noFollow = 0
