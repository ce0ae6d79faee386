// Package clusterfile reads and edits the cluster.yml of an RKE cluster.
//
// People keep that file under version control for years, with comments. An edit therefore
// changes only the necessary bytes; package yamltext computes it. This package holds the rules
// of cluster.yml: its keys, the values that rke accepts, refuses and ignores, and how to read
// and replace the file. Edits that are not safe are refused with a line and a reason.
//
// Reading follows rke, which is lax: it ignores unknown keys, merges duplicates and keeps the
// source text of arguments.
//
// The package knows one file. It must not know clusters, nodes, steps, rke's state or Rancher,
// and it takes no client. Disk operations go through FS, so that tests can make each of them
// fail.
package clusterfile
