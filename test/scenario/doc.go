// Package scenario drives the lab and awsmigrate the way a person would: it
// starts both as processes, looks at the cluster through its API and asks the
// observer what happened. The demo and the end-to-end tests are made of it.
//
// It imports nothing of awsmigrate: what it checks, it checks from outside.
package scenario
