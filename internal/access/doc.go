// Package access says which rights an audit or a run needs on each API, and makes of the
// answers what is to be applied: roles with what is missing and nothing else, and a policy
// of IAM.
//
// It keeps no list of its own. What a run needs is internal/job's, what an audit reads of a
// cluster is in the roles that the documentation has, and its part in Rancher's cluster is
// the reading part of a run.
//
// It takes no client and knows no flag and no view; its ask puts the questions.
package access
