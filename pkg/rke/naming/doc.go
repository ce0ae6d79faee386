// Package naming proves under which name each Node will run once the provider is
// external, and chooses the rule that keeps every name: the metadata service, asked by
// rke-tools, or hostname_override. Without a cluster it says what a plan assumes.
//
// It judges facts; it may not read, edit or know steps and checks.
package naming
