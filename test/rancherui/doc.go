// Package rancherui tests awsmigrate's objects with the code that Rancher uses to summarize them:
// the wrangler of Rancher 2.8 and the one in the product's go.mod.
package rancherui
