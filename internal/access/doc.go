// Package access computes which rights an audit or a run needs on each API, and what grants the
// missing ones: roles with exactly these rights, and an IAM policy.
//
// It has no separate list of rights. The rights of a run come from internal/job. Those of an audit
// come from the documented roles for the cluster, and from the reading part of a run for Rancher's
// cluster.
//
// It makes no requests and knows no flags and no views; package ask makes the requests.
package access
