// Package runner is the engine that runs a procedure step by step. It observes the cluster, runs
// the first pending step, and waits for the step's effect. It holds the lock, commits an intent
// before each effect, and stops where a person must act.
//
// The engine knows nothing about Rancher, RKE or AWS: the Procedure reads from the cluster
// whether a step is done. Package journal stores data between runs, package lock separates two
// runs, and package retry waits out API outages. None of them knows the engine.
package runner
