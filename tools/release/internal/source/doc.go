// Package source builds binaries of a commit. It runs go build in a copy of the repository that
// holds only that commit.
//
// It runs git and go. A binary depends on commit, version, Go's version and platform. It does
// not depend on the folder, the user, the environment or other files in the repository.
package source
