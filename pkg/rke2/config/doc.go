// Package config reads Rancher's RKE2 configuration: what each machine gets from
// machineGlobalConfig and machineSelectorConfig, what stands in the way of a migration,
// and whether a machine runs with what it should.
//
// It is pure: values in, values out. It may not know a client, a clock, a file or the
// journal, and it changes nothing: how a value is written is notation, and a change is
// edits, both below it. It knows nothing of RKE1 and K3s.
//
// The rules are Rancher v2.7.9 to v2.9's, where they are the same:
// rancher/rancher:pkg/capr/planner/config.go and filter.go@v2.8.5.
package config
