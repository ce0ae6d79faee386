// Package clustertest makes clusters for the tests of a migration: at each position, as a
// value (At) and as a fake API (Served), with backends of which the test says what they
// answer. What each fake leaves out is said with it.
package clustertest
