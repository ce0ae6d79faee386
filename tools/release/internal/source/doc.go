// Package source makes binaries of a commit: a copy of the repository that holds that
// commit and nothing else, and go build in it.
//
// It runs git and go. What it makes depends on commit, version, Go's version and
// platform; not on the folder, the user, the environment or what else lies in the
// repository.
package source
