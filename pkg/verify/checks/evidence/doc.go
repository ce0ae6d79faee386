// Package evidence holds the input of all checks: the readings of one moment, what follows from
// them about the cluster, and which EC2 instance belongs to which Node, with what certainty.
//
// It has no check and no ID. It reports both observations and gaps.
package evidence
