// Package scenario drives the lab and awsmigrate as a person would. It starts both as processes,
// reads the cluster through its API, and asks the observer. The demo and the end-to-end tests use
// it.
//
// It checks awsmigrate from outside, without awsmigrate's own checks.
package scenario
