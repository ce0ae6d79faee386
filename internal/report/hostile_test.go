package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/awsmigrate/awsmigrate/pkg/record"
	"github.com/awsmigrate/awsmigrate/pkg/record/judge"
	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

const hostile = "</title></text></style><script>alert(1)</script><img src=x onerror=alert(1)>\x00\x1b[31m\u202e\uffff\xff\"'&{{.}}"

// everywhere returns a judgement in which every text of a record is hostile.
func everywhere(t *testing.T) judge.Result {
	t.Helper()
	r := recording(t, "clean")
	r.Unwatched = []record.Unwatched{{Stream: hostile, From: r.From, Until: r.From.Add(time.Second), Lost: true, Why: hostile}}
	r.Unseen = []judge.Stretch{{From: r.From, To: r.Until, Why: hostile}}
	r.Notes = []string{hostile}
	text, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	var tree any
	if err := json.Unmarshal(text, &tree); err != nil {
		t.Fatal(err)
	}
	poison(tree)
	if text, err = json.Marshal(tree); err != nil {
		t.Fatal(err)
	}
	var out judge.Result
	if err := json.Unmarshal(text, &out); err != nil {
		t.Fatal(err)
	}
	return out
}

// poison appends to every text except times.
func poison(tree any) {
	switch node := tree.(type) {
	case map[string]any:
		for key, one := range node {
			if s, is := one.(string); is {
				if _, err := time.Parse(time.RFC3339, s); err != nil && key != "kind" {
					node[key] = s + hostile
				}
				continue
			}
			poison(one)
		}
	case []any:
		for i, one := range node {
			if s, is := one.(string); is {
				node[i] = s + hostile
				continue
			}
			poison(one)
		}
	}
}

// Texts of a cluster or a record appear on the page as plain text only.
func TestHostileRecord(t *testing.T) {
	r := everywhere(t)
	svg := drawn(t, r)
	page, err := HTML(Of(r, []record.Torn{{Line: 1, Why: hostile}}))
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"svg": svg, "page": string(page), "Markdown": mustMarkdown(t, Of(r, nil))} {
		for _, bad := range []string{"<script", "<img", "\x00", "\x1b", "\u202e"} {
			if name == "Markdown" && bad[0] == '<' {
				continue // a diff is in a fence
			}
			if strings.Contains(text, bad) {
				t.Errorf("%s: %q is in it", name, bad)
			}
		}
	}
	if !bytes.Contains(page, []byte("&lt;script&gt;")) {
		t.Error("the test's text is not on the page at all")
	}
}

// A page makes no requests: no address in it is one that a browser would load.
func TestPageLoadsNothing(t *testing.T) {
	page, err := HTML(Of(recording(t, "clean"), nil))
	if err != nil {
		t.Fatal(err)
	}
	for _, bad := range []string{"src=", "@import", "url(http", "<script", "<iframe", "<object", "srcset"} {
		if bytes.Contains(page, []byte(bad)) {
			t.Errorf("%q is in it", bad)
		}
	}
	for _, part := range strings.Split(string(page), "href=")[1:] {
		if !strings.HasPrefix(part, `"data:,"`) {
			t.Errorf("it refers to %.60s", part)
		}
	}
}

func TestEmptyRecord(t *testing.T) {
	drawn(t, judge.Result{})
	if page, err := HTML(Of(judge.New().Result(), nil)); err != nil || !bytes.Contains(page, []byte("No process was seen")) {
		t.Errorf("%v in\n%s", err, page)
	}
}

// large returns a record that is worse than any observed one: each entry adds another process,
// gap, restart or outage.
func large(nodes, entries int) judge.Result {
	r := judge.Result{Header: record.Header{Name: "large"}, From: noon, Until: noon.Add(time.Duration(entries) * time.Second), Ended: true}
	for i := range nodes {
		n := record.Node{Name: fmt.Sprintf("ip-10-0-%d-%d.ec2.internal", i/250, i%250), UID: fmt.Sprint(i), ProviderID: "aws:///us-east-1a/i-0"}
		r.World.Nodes = append(r.World.Nodes, judge.NodeChange{First: n, Last: n})
	}
	for _, controller := range judge.Controllers() {
		l := judge.Lane{Controller: controller}
		for i := range entries {
			at := noon.Add(time.Duration(i) * time.Second)
			p := judge.Process{Identity: fmt.Sprintf("ip-10-0-0-%d_%d", i%nodes, i), Program: []string{wellknown.KCM, wellknown.CCM, ""}[i%3], Host: "ip-10-0-0-1"}
			l.Intervals = append(l.Intervals, judge.Interval{Process: p, Certain: true, Start: judge.Bound{Earliest: at, Latest: at.Add(100 * time.Millisecond)},
				End: judge.Bound{Earliest: at.Add(500 * time.Millisecond)}, ByRule: at.Add(14 * time.Second)})
			l.Gaps = append(l.Gaps, judge.Gap{From: at, To: at.Add(time.Second / 2), Before: &p, After: &p})
			l.Overlaps = append(l.Overlaps, judge.Overlap{Kind: judge.Possible, First: p, Second: p, From: at, Why: "it may have gone on"})
		}
		r.Lanes = append(r.Lanes, l)
	}
	for i := range entries {
		at := noon.Add(time.Duration(i) * time.Second)
		r.Unwatched = append(r.Unwatched, record.Unwatched{Stream: record.Leases, From: at, Until: at.Add(time.Millisecond), Lost: true})
	}
	return r
}

// The picture of any record has a limited size.
func TestSizeIsBounded(t *testing.T) {
	svg := drawn(t, large(200, 10_000))
	const most = 1 << 19
	if len(svg) > most {
		t.Errorf("%d bytes, wanted at most %d", len(svg), most)
	}
}

func BenchmarkHTML(b *testing.B) {
	r := large(200, 10_000)
	for b.Loop() {
		page, err := HTML(Of(r, nil))
		if err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(float64(len(page)), "bytes")
	}
}
