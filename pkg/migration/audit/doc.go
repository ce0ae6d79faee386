// Package audit gathers all that checks judge of a cluster, runs them, and says what
// their report comes to: an error, or lines for people. It serves the steps preflight and
// verify, the plan, and every audit without a run.
//
// It writes nothing on any API server but access reviews and dry runs. It may not know a
// step.
package audit
