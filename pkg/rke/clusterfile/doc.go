// Package clusterfile reads and edits the cluster.yml of an RKE cluster.
//
// People keep that file under version control for years, with comments, so an
// edit changes the needed bytes and no other: package yamltext computes it. Here is
// what is cluster.yml's own: its keys, what rke takes, refuses and ignores, and how
// the file is read and replaced. What cannot be edited safely is refused with its
// line and the reason.
//
// Reading follows rke, which is lax: unknown keys are ignored, duplicates are
// merged, arguments keep their source text.
//
// The package knows one file. It may not know clusters, nodes, steps,
// rke's state or Rancher, and it takes no client. Disk operations go through
// FS, so that tests can fail each of them.
package clusterfile
