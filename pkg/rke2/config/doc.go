// Package config reads Rancher's RKE2 configuration: the values of each machine from
// machineGlobalConfig and machineSelectorConfig, obstacles to a migration, and whether a machine
// runs with its configuration.
//
// It is pure: values in, values out. It must not know a client, a clock, a file or the journal,
// and it changes nothing: package notation handles the notation of values, and package edits
// computes changes. It knows nothing of RKE1 and K3s.
//
// The rules are those of Rancher v2.7.9 to v2.9, which are the same:
// rancher/rancher:pkg/capr/planner/config.go and filter.go@v2.8.5.
package config
