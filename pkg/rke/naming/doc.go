// Package naming proves the name that each Node will have under the external provider, and
// selects the rule that keeps every name: the metadata service, asked by rke-tools, or
// hostname_override. Without a cluster it returns the assumption of a plan.
//
// It judges facts; it must not read, edit or know steps and checks.
package naming
