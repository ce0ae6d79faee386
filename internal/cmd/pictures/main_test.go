package main

import (
	"encoding/xml"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/awsmigrate/awsmigrate/pkg/migration/procedure"
	"github.com/awsmigrate/awsmigrate/pkg/verify/position"
)

const root = "../../.."

func drawn(t *testing.T) map[string][]byte {
	t.Helper()
	files, err := pictures(root)
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// TestPicturesAreGenerated: what is committed is what `make generate` draws, and nothing else.
func TestPicturesAreGenerated(t *testing.T) {
	files := drawn(t)
	entries, err := os.ReadDir(filepath.Join(root, folder))
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		if files[entry.Name()] == nil {
			t.Errorf("nobody draws %s/%s", folder, entry.Name())
		}
	}
	for name, want := range files {
		got, err := os.ReadFile(filepath.Join(root, folder, name))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(want), string(got)); diff != "" {
			t.Errorf("%s: `make generate` draws (-), committed is (+):\n%s", name, diff)
		}
	}
}

// TestPicturesStandAlone: a picture is XML, says in words what it shows, asks for nothing
// from elsewhere, and is small.
func TestPicturesStandAlone(t *testing.T) {
	for name, text := range drawn(t) {
		decoder, words := xml.NewDecoder(strings.NewReader(string(text))), map[string]string{}
		for element := ""; ; {
			token, err := decoder.Token()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			switch token := token.(type) {
			case xml.StartElement:
				element = token.Name.Local
			case xml.CharData:
				words[element] += strings.TrimSpace(string(token))
			}
		}
		if words["title"] == "" || len(words["desc"]) < 50 {
			t.Errorf("%s has the title %q and the description %q", name, words["title"], words["desc"])
		}
		outside := strings.ReplaceAll(string(text), `xmlns="http://www.w3.org/2000/svg"`, "")
		outside = strings.ReplaceAll(outside, "url(#", "") // a pattern of its own
		for _, mark := range []string{"http", "url(", "@import", "href", "<script", "<image"} {
			if strings.Contains(outside, mark) {
				t.Errorf("%s holds %q", name, mark)
			}
		}
		if len(text) > 20_000 {
			t.Errorf("%s has %d bytes", name, len(text))
		}
	}
}

// TestPicturesAreShown: a page shows each, with words for those who do not see it.
func TestPicturesAreShown(t *testing.T) {
	shown := map[string]bool{}
	pages := []string{"README.md", "README.zh.md"}
	err := fs.WalkDir(os.DirFS(root), "docs", func(path string, _ fs.DirEntry, err error) error {
		if strings.HasSuffix(path, ".md") {
			pages = append(pages, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, page := range pages {
		text, err := os.ReadFile(filepath.Join(root, page))
		if err != nil {
			t.Fatal(err)
		}
		for _, image := range regexp.MustCompile(`!\[([^\]]*)\]\(([^)]+)\)`).FindAllStringSubmatch(string(text), -1) {
			if len(image[1]) < 20 {
				t.Errorf("%s shows %s with the words %q", page, image[2], image[1])
			}
			shown[filepath.Base(image[2])] = true
		}
	}
	for name := range drawn(t) {
		if !shown[name] {
			t.Errorf("no page shows %s", name)
		}
	}
}

// TestLadderHasEveryStep: of a migration and of its undo, and every position.
func TestLadderHasEveryStep(t *testing.T) {
	text := string(ladder())
	for _, info := range procedure.StepInfos() {
		if !regexp.MustCompile(`[>, ]` + string(info.ID) + `[<,]`).MatchString(text) {
			t.Errorf("the ladder lacks %s", info.ID)
		}
	}
	for _, p := range position.All() {
		if _, back := procedure.StepsAt(p); !strings.Contains(text, ">"+p.String()+"<") || !strings.Contains(text, ">"+string(back)+"<") && back != "" {
			t.Errorf("the ladder lacks %s, or %s", p, back)
		}
	}
}

const transcript = `<!-- transcript:begin -->
run 20261122T180334Z-d1520d99, from P0
✓  preflight                 73 ok                                                  2s
✓  etcd-snapshot             snapshot of generation 1 finished                     20s
✓  enable-leader-migration   3 of 3 control planes run with the flag              1m0s
   migration lease: demo-1 (kube-controller-manager), renewing
✓  install-ccm               3/3 ready, one of them leads                          40s
✓  switch-provider           7 of 7 machines                                      1m1s
   migration lease: demo-2 (aws-cloud-controller-manager), renewing
✓  uncordon                  no node is cordoned by awsmigrate
$ lab observe
Cloud controllers from 2026-11-22T18:03:24Z to 2026-11-22T18:08:44Z
service:
  ran      18:03:24.883  18:04:03.215   kube-controller-manager.demo-1.3 (pid 16977)
  ran      18:04:22.930  18:05:44.963   kube-controller-manager.demo-1.4 (pid 26516)
  ran      18:06:03.561  still running  aws-cloud-controller-manager-xglfb.aws-cloud-controller-manager.demo-2.5 (pid 2302)
  gap      18:04:03.215  18:04:22.930   19.7 s: from one to another
  gap      18:05:44.963  18:06:03.561   18.6 s: from one to another
route:
  off      18:05:44.963  18:08:44.860   as configured
<!-- transcript:end -->
`

func TestReadRun(t *testing.T) {
	run, err := readRun(transcript)
	if err != nil {
		t.Fatal(err)
	}
	var holders []bool
	for _, r := range run.runs {
		holders = append(holders, r.migration)
	}
	if diff := cmp.Diff([]bool{false, true, true}, holders); diff != "" {
		t.Errorf("holders of the migration lease: want (-), got (+):\n%s", diff)
	}
	if got := run.runs[2].component + " until " + run.runs[2].end.Format("15:04:05"); got != "aws-cloud-controller-manager until 18:08:44" {
		t.Errorf("the last one: %s", got)
	}
	if got := run.gaps[1].seconds; got != "18.6 s" {
		t.Errorf("the second gap: %q", got)
	}
	if last := run.steps[len(run.steps)-1]; last.id != "switch-provider" || last.begin.Seconds() != 10+2+20+60+40 || last.took.Seconds() != 61 {
		t.Errorf("the last step with a time: %+v", last)
	}
}

// A transcript that cannot be read is no picture without what it says.
func TestReadRunRefuses(t *testing.T) {
	for name, without := range map[string]string{
		"markers": "<!-- transcript:end -->\n", "the observer": "$ lab observe\n", "the span": "Cloud controllers from",
		"the beginning": "run 20261122T180334Z", "a gap": "  gap      18:05:44.963", "a process": "kube-controller-manager.demo-1.4",
	} {
		if _, err := readRun(strings.Replace(transcript, without, "", 1)); err == nil {
			t.Errorf("read without %s", name)
		}
	}
}
