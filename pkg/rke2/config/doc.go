// Package config reads Rancher's RKE2 configuration and computes edits of it:
// what each machine gets from machineGlobalConfig and machineSelectorConfig,
// what stands in the way of a migration, the exact change that moves a cluster
// on or back, and what undoes that change later.
//
// It is pure: values in, values out. It may not know a client, a clock, a file
// or the journal, and it never decides when an edit is made. It knows nothing
// of RKE1 and K3s.
//
// It is one room of more than 20 files, in three layers. What was read: spec, parse,
// machine, effective, keys, document, registries, nodeargs, provider; how it is written is
// notation, below. One change of it: edit, op and its forms, winners, arglist, inverse, undo,
// diff. What a migration wants: switch, switch_back, leadermigration, manifest,
// guard, ours, unsafeargs, finding. They share the cells of one specification, unexported
// on purpose: a layer of its own would have to show every caller how a value is kept
// and changed, and with that the way past the proofs that an edit touches nothing else
// and that its inverse gives back what was there.
//
// The rules are Rancher v2.7.9 to v2.9's, where they are the same:
// rancher/rancher:pkg/capr/planner/config.go and filter.go@v2.8.5.
package config
