// Package drift finds the changes that `rke up` would apply in addition to a migration's own
// edit: the differences between cluster.yml and the configuration that rke applied last.
//
// It compares facts; it must not read, edit or know steps and checks.
package drift
