package report

import (
	"encoding/xml"
	"errors"
	"flag"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/awsmigrate/awsmigrate/pkg/record"
	"github.com/awsmigrate/awsmigrate/pkg/record/judge"
)

var update = flag.Bool("update", false, "write the golden files anew")

func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("no golden file: %v (go test -update writes it)", err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s: want (-), got (+):\n%s", path, diff)
	}
}

// recording is a record of testdata, judged.
func recording(t testing.TB, name string) judge.Result {
	t.Helper()
	file, err := os.Open(filepath.Join("testdata", name+".jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	j := judge.New()
	if torn, err := record.Read(file, j.Put); err != nil || len(torn) > 0 {
		t.Fatal(torn, err)
	}
	return j.Result()
}

// wellFormed reads XML to its end.
func wellFormed(t *testing.T, text []byte) {
	t.Helper()
	for d := xml.NewDecoder(strings.NewReader(string(text))); ; {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			return
		} else if err != nil {
			t.Fatalf("no XML: %v in\n%s", err, text)
		}
	}
}

func TestGolden(t *testing.T) {
	for name, verdict := range map[string]judge.Verdict{"clean": judge.Single, "possible": judge.CannotSay, "double": judge.Double, "unwatched": judge.NotSeen} {
		t.Run(name, func(t *testing.T) {
			r := recording(t, name)
			if r.Verdict() != verdict {
				t.Fatalf("verdict %q, wanted %q: %+v", r.Verdict(), verdict, r)
			}
			svg := SVG(r)
			wellFormed(t, svg)
			golden(t, name+".svg", svg)
			page, err := HTML(Of(r, nil))
			if err != nil {
				t.Fatal(err)
			}
			golden(t, name+".html", page)
		})
	}
}
