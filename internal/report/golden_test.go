package report

import (
	"compress/gzip"
	"encoding/xml"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/awsmigrate/awsmigrate/pkg/record"
	"github.com/awsmigrate/awsmigrate/pkg/record/judge"
)

// recording is a record of testdata, judged. demo and rke are of whole runs in the lab, on RKE2 and
// on RKE: names as Rancher makes them, a cordoned worker, routes off, an API server that is away.
func recording(t testing.TB, name string) judge.Result {
	t.Helper()
	var in io.Reader
	file, err := os.Open(filepath.Join("testdata", name+".jsonl"))
	if err != nil {
		if file, err = os.Open(filepath.Join("testdata", name+".jsonl.gz")); err != nil {
			t.Fatal(err)
		}
	}
	defer file.Close()
	in = file
	if strings.HasSuffix(file.Name(), ".gz") {
		if in, err = gzip.NewReader(file); err != nil {
			t.Fatal(err)
		}
	}
	j := judge.New()
	if torn, err := record.Read(in, j.Put); err != nil || len(torn) > 0 {
		t.Fatal(torn, err)
	}
	return j.Result()
}

// drawn is a picture that is XML.
func drawn(t *testing.T, r judge.Result) string {
	t.Helper()
	svg, err := SVG(r)
	if err != nil {
		t.Fatal(err)
	}
	for d := xml.NewDecoder(strings.NewReader(string(svg))); ; {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			return string(svg)
		} else if err != nil {
			t.Fatalf("no XML: %v in\n%s", err, svg)
		}
	}
}

func mustPage(t testing.TB, r Report) string {
	t.Helper()
	page, err := HTML(r)
	if err != nil {
		t.Fatal(err)
	}
	return string(page)
}

func mustMarkdown(t testing.TB, r Report) string {
	t.Helper()
	text, err := Markdown(r)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// The page of a record matches its judgement. A run without a disturbance gets a tick on every
// distribution, with its limit as a footnote.
func TestRecords(t *testing.T) {
	for _, test := range []struct {
		name    string
		verdict judge.Verdict
		says    []string
		not     []string
	}{
		{"clean", judge.Single, []string{"No two processes ran a cloud controller at once."}, []string{"The limit of this"}},
		{"possible", judge.ByRule, []string{"by the rule of their leases.", "The limit of this"}, nil},
		{"double", judge.Double, []string{"Two processes ran a cloud controller at once"}, []string{"The limit of this"}},
		{"unwatched", judge.NotSeen, []string{"at a stretch was not watched"}, nil},
		{"demo", judge.ByRule, []string{"by the rule of their leases.", "The limit of this", "nodes unchanged: 6 of 6", "no service controller for 8–22 s, 6–20 s, 17–19 s",
			"off: CCM on demo-cp-e782b882-qzrwl must not run it, by its arguments", "before the record and at its end"}, []string{"overlap possible", "<td>finished"}},
		{"rke", judge.ByRule, []string{"by the rule of their leases.", "The limit of this", "RKE runs it outside the API"}, []string{"overlap possible", "two at once, possible"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := recording(t, test.name)
			if r.Verdict() != test.verdict {
				t.Fatalf("verdict %q, wanted %q: %+v", r.Verdict(), test.verdict, r.Lanes)
			}
			page := mustPage(t, Of(r, nil))
			keep(t, test.name+".html", []byte(page))
			for form, text := range map[string]string{"page": page, "Markdown": mustMarkdown(t, Of(r, nil))} {
				for _, want := range test.says {
					if !strings.Contains(text, want) {
						t.Errorf("%s: %q is not in it", form, want)
					}
				}
				for _, bad := range test.not {
					if strings.Contains(text, bad) {
						t.Errorf("%s: %q is in it", form, bad)
					}
				}
			}
		})
	}
}

// Every bar lies in its row, and every label in its bar, regardless of the length of a name.
func TestPictureFits(t *testing.T) {
	for _, name := range []string{"clean", "possible", "double", "unwatched", "demo", "rke"} {
		p := newPicture(recording(t, name))
		rows, lengths := map[string]bool{}, 0
		for _, r := range p.Rows {
			rows[r.Name] = true
			if end := r.NoteX + float64(len(r.Note)*letterWidth); end > pictureRight {
				t.Errorf("%s: %s: %q ends at %.0f", name, r.Name, r.Note, end)
			}
			edge := 0.0
			for _, b := range r.Bars {
				if b.X < pictureLeft || b.X+b.W > pictureRight+1.5 || b.Y < float64(r.Y) || b.Y+b.H > float64(r.Y+r.H+6) {
					t.Errorf("%s: %s: %+v lies outside", name, r.Name, b)
				}
				width := float64(len([]rune(b.Label)) * letterWidth)
				switch {
				case b.Label == "":
				case b.LabelClass != "len" && width > b.W:
					t.Errorf("%s: %q runs out of its bar of %.0f", name, b.Label, b.W)
				case b.LabelClass == "len" && b.LabelX-width/2 < edge:
					t.Errorf("%s: %q lies on the previous one", name, b.Label)
				case b.LabelClass == "len":
					edge, lengths = b.LabelX+width/2, lengths+1
				}
			}
		}
		for i, one := range p.Legend[1:] {
			if end := p.Legend[i].LabelX + float64(len(p.Legend[i].Label)*6); end > one.X || one.LabelX+float64(len(one.Label)*7) > pictureWidth {
				t.Errorf("the legend's %q ends at %.0f, the next begins at %.0f", p.Legend[i].Label, end, one.X)
			}
		}
		if gaps := name != "double"; gaps != (lengths > 0) {
			t.Errorf("%s: %d lengths of gaps", name, lengths)
		}
		if rows["not watched"] != (name == "unwatched" || name == "rke") {
			t.Errorf("%s: rows %v", name, rows)
		}
		drawn(t, recording(t, name))
	}
}

// Ticks are round times with room for their text, for records of any length.
func TestTicks(t *testing.T) {
	for _, seconds := range []int{0, 2, 17, 60, 2400, 25200, 777600, 34560000} {
		p := newPicture(judge.Result{From: noon, Until: after(seconds)})
		for i := range p.Ticks[min(1, len(p.Ticks)):] {
			if p.Ticks[i+1].X-p.Ticks[i].X < 60 {
				t.Errorf("%d s: ticks at %.0f and %.0f", seconds, p.Ticks[i].X, p.Ticks[i+1].X)
			}
		}
		if seconds > 0 && (len(p.Ticks) == 0 || len(p.Ticks) > 12) {
			t.Errorf("%d s: %d ticks", seconds, len(p.Ticks))
		}
	}
}
