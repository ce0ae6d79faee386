// Package recorded compares the judgement of a record with the truth: which process ran which
// controller, and when, by a witness that did not read the record. It works on values alone.
package recorded
