package cli

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/awsmigrate/awsmigrate/internal/cli/app"
	"github.com/awsmigrate/awsmigrate/internal/cli/checklist"
	"github.com/awsmigrate/awsmigrate/internal/cli/explain"
	"github.com/awsmigrate/awsmigrate/internal/cli/view/verifyview"
	"github.com/awsmigrate/awsmigrate/pkg/awsccm"
	"github.com/awsmigrate/awsmigrate/pkg/migration/procedure"
)

// repository is the root, from this package.
const repository = "../.."

func readDoc(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(repository, path))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// pages are all documents for people, by path below the root.
func pages(t *testing.T) []string {
	t.Helper()
	list := []string{"README.md", "README.zh.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md", "CODE_OF_CONDUCT.md"}
	err := fs.WalkDir(os.DirFS(repository), "docs", func(path string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() && strings.HasSuffix(path, ".md") {
			list = append(list, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

func TestEveryStepHasItsPage(t *testing.T) {
	index := readDoc(t, "docs/README.md")
	known := map[string]bool{}
	for _, info := range procedure.StepInfos() {
		known[filepath.Base(info.Doc)] = true
		text := readDoc(t, "docs/"+info.Doc)
		if title, _, _ := strings.Cut(text, "\n"); title != "# "+string(info.ID) {
			t.Errorf("docs/%s begins with %q, want the step's ID", info.Doc, title)
		}
		if info.Irreversible != "" && !strings.Contains(text, "cannot be undone") {
			t.Errorf("docs/%s does not say that the step cannot be undone", info.Doc)
		}
		if !strings.Contains(index, "("+info.Doc+")") {
			t.Errorf("docs/README.md does not link to %s", info.Doc)
		}
	}
	for _, page := range pages(t) {
		if name := filepath.Base(page); strings.HasPrefix(page, "docs/steps/") && !known[name] {
			t.Errorf("%s is the page of no step", page)
		}
	}
}

// TestStepsAreListedInOrder: where pages list the steps of a run, they are all there, in
// the order of the procedure.
func TestStepsAreListedInOrder(t *testing.T) {
	var want []string
	for _, info := range procedure.StepInfos() {
		want = append(want, "("+info.Doc+")")
	}
	for page, title := range map[string]string{"docs/README.md": "## Steps\n", "docs/procedures.md": "## At a glance\n"} {
		_, list, _ := strings.Cut(readDoc(t, page), title)
		list, _, _ = strings.Cut(list, "\n## ")
		got := regexp.MustCompile(`\(steps/[\w-]+\.md\)`).FindAllString(list, -1)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("steps of the procedure (-), in %s (+):\n%s", page, diff)
		}
	}
}

var (
	linkPattern = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	fenced      = regexp.MustCompile("(?ms)^```.*?^```")
)

func TestLinksLeadSomewhere(t *testing.T) {
	for _, page := range pages(t) {
		text := fenced.ReplaceAllString(readDoc(t, page), "")
		for _, match := range linkPattern.FindAllStringSubmatch(text, -1) {
			target, anchor, _ := strings.Cut(match[1], "#")
			if strings.Contains(target, "://") {
				continue
			}
			path := page
			if target != "" {
				path = filepath.Join(filepath.Dir(page), target)
			}
			if _, err := os.Stat(filepath.Join(repository, path)); errors.Is(err, fs.ErrNotExist) {
				t.Errorf("%s links to %s, which does not exist", page, match[1])
				continue
			}
			if anchor != "" && !slices.Contains(anchors(readDoc(t, path)), anchor) {
				t.Errorf("%s links to %s; %s has no such heading", page, match[1], path)
			}
		}
	}
}

var (
	pageBefore = regexp.MustCompile(`(?m)^← \[[^\]]+\]\(([^)#]+)\)`)
	pageAfter  = regexp.MustCompile(`(?m)\[[^\]]+\]\(([^)#]+)\) →$`)
)

// TestPagesLeadOn checks that a page whose foot leads to a next page is the previous page
// of that one, and the other way round.
func TestPagesLeadOn(t *testing.T) {
	for _, page := range pages(t) {
		for _, way := range []struct{ there, back *regexp.Regexp }{{pageAfter, pageBefore}, {pageBefore, pageAfter}} {
			match := way.there.FindStringSubmatch(readDoc(t, page))
			if match == nil || strings.HasSuffix(page, ".zh.md") { // a translation shares the next page
				continue
			}
			other := filepath.Join(filepath.Dir(page), match[1])
			back := way.back.FindStringSubmatch(readDoc(t, other))
			if back == nil || filepath.Join(filepath.Dir(other), back[1]) != page {
				t.Errorf("%s leads to %s, which does not lead back", page, other)
			}
		}
	}
}

// anchors are those that GitHub gives headings, and those that a page sets itself.
func anchors(text string) []string {
	var list []string
	for _, match := range regexp.MustCompile(`<a id="([\w-]+)">`).FindAllStringSubmatch(text, -1) {
		list = append(list, match[1])
	}
	text = fenced.ReplaceAllString(text, "")
	for _, line := range strings.Split(text, "\n") {
		title := strings.TrimLeft(line, "#")
		if title == line || !strings.HasPrefix(title, " ") {
			continue
		}
		anchor := strings.Map(func(r rune) rune {
			switch {
			case r == ' ':
				return '-'
			case r == '-' || r == '_' || r >= 'a' && r <= 'z' || r >= '0' && r <= '9':
				return r
			}
			return -1
		}, strings.ToLower(strings.TrimSpace(title)))
		list = append(list, anchor)
	}
	return list
}

// TestPagesNamedInCodeExist: messages send people to pages by their path. What
// is cited of other repositories follows a colon or their name.
func TestPagesNamedInCodeExist(t *testing.T) {
	pattern := regexp.MustCompile(`(^|[^\w:/-] ?)(docs/[\w/-]+\.md)`)
	for _, folder := range []string{"internal", "pkg", "charts", "cmd"} {
		err := fs.WalkDir(os.DirFS(repository), folder, func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return err
			}
			for _, line := range strings.Split(readDoc(t, path), "\n") {
				for _, match := range pattern.FindAllStringSubmatch(line, -1) {
					cited := strings.Contains(line, "cloud-provider-aws "+match[2])
					if _, err := os.Stat(filepath.Join(repository, match[2])); err != nil && !cited {
						t.Errorf("%s names the page %s, which does not exist", path, match[2])
					}
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// TestChecksHaveTheirPage: every check has what a reader of it needs.
func TestChecksHaveTheirPage(t *testing.T) {
	page := readDoc(t, verifyview.ChecksPage)
	for _, meta := range checklist.All() {
		if meta.Title == "" || meta.Category == "" || meta.Why == "" || meta.Source == "" || meta.Fix == "" {
			t.Errorf("%s does not say title, category, why, source and fix", meta.ID)
		}
		if !strings.Contains(page, `<a id="`+strings.ToLower(meta.ID)+`"></a>`) {
			t.Errorf("%s has no anchor for the links of reports", meta.ID)
		}
		if found, err := explain.Find(meta.ID); err != nil || found.Check == nil {
			t.Errorf("explain %s: %v", meta.ID, err)
		}
	}
}

func TestChecksNamedInDocsExist(t *testing.T) {
	known := map[string]bool{"AWSM-nnn": true}
	for _, meta := range checklist.All() {
		known[meta.ID] = true
	}
	pattern := regexp.MustCompile(`AWSM-\w+`)
	for _, page := range pages(t) {
		for _, id := range pattern.FindAllString(readDoc(t, page), -1) {
			if !known[id] {
				t.Errorf("%s names %s, which is no check", page, id)
			}
		}
	}
}

// TestCommandsOnFrontPagesExist checks that the pages that a newcomer reads first name
// flags and commands that exist, and that the demo's transcript keeps its markers.
func TestCommandsOnFrontPagesExist(t *testing.T) {
	root := newRoot(&app.App{})
	flags, commands := map[string]bool{"help": true}, map[string]bool{}
	var walk func(*cobra.Command)
	walk = func(c *cobra.Command) {
		commands[c.CommandPath()] = true
		c.Flags().VisitAll(func(f *pflag.Flag) { flags[f.Name] = true })
		for _, child := range c.Commands() {
			walk(child)
		}
	}
	walk(root)
	for _, page := range []string{"README.md", "docs/demo.md", "docs/first-cluster.md", "docs/troubleshooting.md"} {
		text := readDoc(t, page)
		for _, match := range regexp.MustCompile(`(?:^|[\s\x60])--([a-z][a-z-]+)`).FindAllStringSubmatch(text, -1) {
			if !flags[match[1]] {
				t.Errorf("%s names the flag --%s, which no command has", page, match[1])
			}
		}
		for _, match := range regexp.MustCompile(`(?m)(?:^|\x60)(awsmigrate(?: [a-z0-9]+(?:-[a-z0-9]+)*)+)`).FindAllStringSubmatch(text, -1) {
			if !commands[match[1]] {
				t.Errorf("%s names the command %q, which does not exist", page, match[1])
			}
		}
	}
	if text := readDoc(t, "docs/demo.md"); !strings.Contains(text, "<!-- transcript:begin -->\n") || !strings.Contains(text, "<!-- transcript:end -->\n") {
		t.Error("docs/demo.md has lost the markers of the transcript")
	}
}

// TestPolicyIsWhatIsChecked: the policy to paste allows exactly the actions
// that the check of the control plane's role asks for.
func TestPolicyIsWhatIsChecked(t *testing.T) {
	policies := map[string][]string{}
	for _, block := range regexp.MustCompile("(?s)```json\n(.*?)```").FindAllStringSubmatch(readDoc(t, "docs/iam.md"), -1) {
		var policy struct {
			Version   string
			Statement []struct {
				Sid, Effect, Resource string
				Action                []string
			}
		}
		if err := json.Unmarshal([]byte(block[1]), &policy); err != nil {
			t.Fatalf("a policy in docs/iam.md is no JSON: %v", err)
		}
		for _, s := range policy.Statement {
			if policy.Version != "2012-10-17" || s.Effect != "Allow" || s.Resource != "*" {
				t.Errorf("statement %s of docs/iam.md: version %q, effect %q, resource %q", s.Sid, policy.Version, s.Effect, s.Resource)
			}
			policies[s.Sid] = s.Action
		}
	}
	tag, err := awsccm.ImageFor("v1.26.15+rke2r1")
	if err != nil {
		t.Fatal(err)
	}
	img, err := awsccm.ParseImage(tag)
	if err != nil {
		t.Fatal(err)
	}
	names := func(routes bool) []string {
		var list []string
		for _, action := range awsccm.IAMActions(img, routes) {
			list = append(list, action.Name)
		}
		return list
	}
	if diff := cmp.Diff(names(false), policies["AWSCloudControllerManager"]); diff != "" {
		t.Errorf("checked (-) and in docs/iam.md (+):\n%s", diff)
	}
	with := slices.Concat(policies["AWSCloudControllerManager"], policies["AWSCloudControllerManagerRoutes"])
	slices.Sort(with)
	if diff := cmp.Diff(names(true), with); diff != "" {
		t.Errorf("with routes, checked (-) and in docs/iam.md (+):\n%s", diff)
	}
}

// TestImagesInDocs: the images on the pages of install-ccm and upgrade are those in force.
func TestImagesInDocs(t *testing.T) {
	rows := regexp.MustCompile(`(1\.\d+) → (v[\d.]+\d)`).FindAllStringSubmatch(readDoc(t, "docs/steps/install-ccm.md"), -1)
	rows = append(rows, regexp.MustCompile(`\| (1\.\d+) \| (v1[\d.]+\d)`).FindAllStringSubmatch(readDoc(t, "docs/steps/upgrade.md"), -1)...)
	if want := len(awsccm.ImageTags()); len(rows) != want {
		t.Fatalf("%d images on the pages, want %d", len(rows), want)
	}
	for _, row := range rows {
		if tag, err := awsccm.ImageFor("v" + row[1] + ".0"); err != nil || tag != row[2] {
			t.Errorf("the page gives %s for %s, the code %s (%v)", row[2], row[1], tag, err)
		}
	}
}
