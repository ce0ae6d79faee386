// Package rancherui judges what awsmigrate shows by the code that judges it in Rancher:
// the summaries of the wrangler that Rancher 2.8 ships, and of the one in the product's
// go.mod. It has tests only.
package rancherui
