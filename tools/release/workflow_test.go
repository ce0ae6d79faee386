package main

import (
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	"github.com/awsmigrate/awsmigrate/tools/release/internal/pack"
	"github.com/awsmigrate/awsmigrate/tools/release/internal/seal"
)

// scripts returns the commands of the release workflow, step by step, and its environment.
func scripts(t *testing.T) (runs []string, env map[string]string) {
	t.Helper()
	text, err := os.ReadFile("../../.github/workflows/release.yml")
	if err != nil {
		t.Fatal(err)
	}
	var workflow struct {
		Env  map[string]string
		Jobs map[string]struct {
			Steps []struct{ Run string }
		}
	}
	if err := yaml.Unmarshal(text, &workflow); err != nil {
		t.Fatal(err)
	}
	for _, step := range workflow.Jobs["release"].Steps {
		if step.Run != "" {
			runs = append(runs, step.Run)
		}
	}
	return runs, workflow.Env
}

// The workflow publishes the output of `make release`, after the tests, a second build and the
// signature.
func TestWorkflowMakesTheReleaseThatPeopleMake(t *testing.T) {
	runs, env := scripts(t)
	step := func(part string) int {
		return slices.IndexFunc(runs, func(run string) bool { return strings.Contains(run, part) })
	}
	last := -1
	for _, part := range []string{
		"make test", `make release VERSION="$VERSION" OUT=dist`, "make release-look OUT=dist", `make release-twice VERSION="$VERSION"`,
		"sign-blob --yes --bundle " + seal.BundleFile + " dist/" + seal.ListFile, "skopeo copy --all --preserve-digests", "gh release create",
	} {
		at := step(part)
		if at <= last {
			t.Errorf("%q is step %d, after %d", part, at, last)
		}
		last = at
	}
	module, err := os.ReadFile("go.mod")
	if err != nil {
		t.Fatal(err)
	}
	minor := regexp.MustCompile(`(?m)^go (\d+\.\d+)`).FindStringSubmatch(string(module))
	if len(minor) == 0 || !strings.HasPrefix(env["GOTOOLCHAIN"], "go"+minor[1]+".") {
		t.Errorf("GOTOOLCHAIN is %q, go.mod has %v", env["GOTOOLCHAIN"], minor)
	}
}

// Every file that the workflow takes from the folder is made by `make release`.
func TestWorkflowTakesFilesThatThereAre(t *testing.T) {
	runs, _ := scripts(t)
	version, err := pack.ParseVersion("v0.1.0")
	if err != nil {
		t.Fatal(err)
	}
	known := []string{layoutFolder, path.Join(layoutFolder, "index.json"), "release-notes.md", seal.ListFile, imageBase(version) + ".cdx.json"}
	for _, run := range runs {
		for _, taken := range regexp.MustCompile(`\bdist/([^\s":)]+)`).FindAllStringSubmatch(strings.ReplaceAll(run, "${VERSION}", version.String()), -1) {
			if !slices.Contains(known, taken[1]) {
				t.Errorf("%q is none of %q", taken[1], known)
			}
		}
	}
}
