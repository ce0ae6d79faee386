// Package handoff writes an edit of Rancher's Cluster object down for somebody who keeps
// that object elsewhere: for Terraform, for Git, or as a patch. What is committed there
// has to be exactly the edit that awsmigrate would have made.
//
// It computes no edit and reads no cluster; when an edit may be committed is not decided
// here.
package handoff
