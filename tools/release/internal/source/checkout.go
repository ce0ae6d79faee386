package source

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Commit is the commit of a release.
type Commit struct {
	Hash string
	Time time.Time // the committer's: SOURCE_DATE_EPOCH
}

// Checkout copies the repository's HEAD into dir, which must be empty. The copy has one tag,
// the version, from which Go reads the version of the program. Checkout returns an error if
// the work tree has changes: others could not reproduce the build.
func Checkout(ctx context.Context, repository, dir, version string, env []string) (Commit, error) {
	env = append(dropVariables(env, "GIT_*"), "LC_ALL=C")
	git := func(in string, args ...string) (string, error) { return run(ctx, in, env, "git", args...) }
	changed, err := git(repository, "status", "--porcelain")
	if err != nil {
		return Commit{}, err
	}
	if changed != "" {
		return Commit{}, fmt.Errorf("a release is made of a commit, and %s has changes that are in none:\n%s", repository, changed)
	}
	// Line ends, templates and hooks do not depend on the builder.
	if _, err := git(repository, "clone", "--quiet", "--no-tags", "--template=", "-c", "core.autocrlf=false", "-c", "core.eol=lf", ".", dir); err != nil {
		return Commit{}, err
	}
	if _, err := git(dir, "update-ref", "refs/tags/"+version, "HEAD"); err != nil {
		return Commit{}, err
	}
	shown, err := git(dir, "-c", "log.showSignature=false", "show", "-s", "--format=%H %ct", "HEAD")
	if err != nil {
		return Commit{}, err
	}
	hash, seconds, _ := strings.Cut(shown, " ")
	at, err := strconv.ParseInt(seconds, 10, 64)
	if err != nil {
		return Commit{}, fmt.Errorf("time of commit %s: %w", hash, err)
	}
	return Commit{Hash: hash, Time: time.Unix(at, 0).UTC()}, nil
}
