// Package drift is what `rke up` would apply beside a migration's own edit: the
// differences between cluster.yml and what rke applied last.
//
// It compares facts; it may not read, edit or know steps and checks.
package drift
