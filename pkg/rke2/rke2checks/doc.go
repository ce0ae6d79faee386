// Package rke2checks judges Rancher's side of an RKE2 cluster: its versions, its
// machines, their arguments, who keeps the configuration, and how the Nodes keep their
// names. A check is a function of what was prepared for it. What a bundle keeps of that
// side is here, too, so that the same checks judge it again.
//
// It may not read, write or know steps, nor pkg/rke2, which asks for the checks.
package rke2checks
