// Package fleet adds simulated clusters (test/sim) to a Rancher with a real API server, for tests
// and demos with many clusters. The API server of each cluster is served over HTTPS at Rancher's
// path, /k8s/clusters/<id>, and a Secret has the kubeconfig as Rancher writes it. A bridge copies
// the edits of users from the API server into the models, and the work of the models back.
//
// The controllers of a Rancher must leave these objects alone; see rancher.Simulated.
//
// Missing: what test/sim misses, Rancher's own delays, and conflicts between Rancher's controllers.
// The address asks for no token.
package fleet
