// Package handoff writes down an edit of Rancher's Cluster object for users who keep that object
// elsewhere: for Terraform, for Git, or as a patch. The committed text must be exactly the edit
// that awsmigrate would have made.
//
// It computes no edit and reads no cluster. It does not decide when an edit may be committed.
package handoff
