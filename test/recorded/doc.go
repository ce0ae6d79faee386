// Package recorded holds what a record is judged to say against what was true: which process
// ran which controller from when to when, as somebody knows who did not read the record. It
// takes values alone.
package recorded
