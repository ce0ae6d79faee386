// Package audit gathers the facts of a cluster and runs the checks. It turns their report into
// an error or into lines for people. The steps preflight and verify, the
// plan, and audits without a run use it.
//
// It writes nothing to any API server except access reviews and dry runs. It must not import
// steps.
package audit
