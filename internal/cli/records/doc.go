// Package records has the commands about records: record makes one, and report reads one, a
// journal or a bundle.
package records
