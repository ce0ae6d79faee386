// Package rolling judges, over several readings of a cluster, what the processes of its
// control planes do while an edit is rolled out: which cannot start, and which may still
// run from before. It holds nothing between readings: a memory goes in and comes out.
package rolling
