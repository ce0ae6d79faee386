// Package retry waits out API outages. It decides which errors are transient, how long a call is
// retried, and what people see meanwhile. The first interrupt ends a wait, unless a change under
// way has to finish.
//
// The package is a leaf: journal, lock and engine use it, and it knows none of them.
package retry
