// Package fleet decides when something is done to a cluster, and never how: whether a
// rollout is watched, whether a block of steps may begin, and what it waits for. It is a
// function from what was read to an action. It takes no client, reads no clock, and knows
// nothing of Rancher, RKE or AWS; of a step it knows the block that it belongs to.
//
// What rolls is watched before anything else is asked. Nothing here looks at a status:
// that is made from what is decided, and may be deleted.
package fleet
