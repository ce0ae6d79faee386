package yamltext_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/awsmigrate/awsmigrate/pkg/rke/clusterfile/yamltext"
)

func flagPath() []string {
	return []string{"services", "kube-controller", "extra_args", "enable-leader-migration"}
}

func enable() yamltext.Change {
	return yamltext.Set("true", yamltext.Quoted, flagPath()...)
}

func switchTo(made yamltext.Made) []yamltext.Change {
	return []yamltext.Change{
		yamltext.Set("external-aws", yamltext.Plain, "cloud_provider", "name"),
		yamltext.Set("true", yamltext.Plain, "cloud_provider", "useInstanceMetadataHostname"),
		yamltext.Delete("cloud_provider", "awsCloudProvider"),
		yamltext.Delete(flagPath()...).Pruning(made),
	}
}

type golden struct {
	name, options             string
	before, flagged, switched []byte
}

// goldens reads the cases. Line ends, byte order mark and final newline are options, so that no
// editor or checkout can change them.
func goldens(t testing.TB) []golden {
	t.Helper()
	files, err := filepath.Glob("testdata/golden/*.txt")
	if err != nil || len(files) < 20 {
		t.Fatalf("golden cases: %d, %v", len(files), err)
	}
	var out []golden
	for _, f := range files {
		raw, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		parts := strings.Split(string(raw), "=== ")
		if len(parts) != 4 {
			t.Fatalf("%s: %d parts", f, len(parts))
		}
		g := golden{name: strings.TrimSuffix(filepath.Base(f), ".txt")}
		_, g.options, _ = strings.Cut(parts[0], "options: ")
		for i, to := range []*[]byte{&g.before, &g.flagged, &g.switched} {
			_, text, _ := strings.Cut(parts[i+1], "\n")
			*to = dress(text, g.options)
		}
		out = append(out, g)
	}
	return out
}

func dress(text, options string) []byte {
	if strings.Contains(options, "nofinal") {
		text = strings.TrimSuffix(text, "\n")
	}
	if strings.Contains(options, "crlf") {
		text = strings.ReplaceAll(text, "\n", "\r\n")
	}
	if strings.Contains(options, "bom") {
		text = "\ufeff" + text
	}
	return []byte(text)
}

// reader returns a Reader that accepts every text.
func reader() yamltext.Reader {
	return yamltext.Reader{Name: "the program", File: "text", Content: "keys", Top: "a mapping", Render: "render it", MaxSize: 4 << 20}
}

func parse(t testing.TB, text []byte) *yamltext.Document {
	t.Helper()
	f, err := yamltext.Parse("x.yml", text, reader())
	if err != nil {
		t.Fatalf("Parse: %v\n%s", err, text)
	}
	return f
}

func edit(t testing.TB, text []byte, changes ...yamltext.Change) yamltext.Edit {
	t.Helper()
	e, err := parse(t, text).Edit(changes...)
	if err != nil {
		t.Fatalf("Edit: %v\n%s", err, text)
	}
	return e
}

func same(t testing.TB, what string, got, want []byte) {
	t.Helper()
	if !bytes.Equal(got, want) {
		t.Errorf("%s (-want +got):\n%s", what, cmp.Diff(strings.SplitAfter(string(want), "\n"), strings.SplitAfter(string(got), "\n")))
	}
}

func TestGolden(t *testing.T) {
	for _, g := range goldens(t) {
		t.Run(g.name, func(t *testing.T) {
			first := edit(t, g.before, enable())
			same(t, "flag", first.After, g.flagged)
			second := edit(t, first.After, switchTo(first.Made)...)
			same(t, "switch", second.After, g.switched)

			if again := edit(t, first.After, enable()); !again.Empty() || again.Diff() != "" {
				t.Errorf("the flag a second time is no empty edit:\n%s", again.Diff())
			}
			if again := edit(t, second.After, switchTo(first.Made)...); !again.Empty() {
				t.Errorf("the switch a second time is no empty edit:\n%s", again.Diff())
			}
			back, err := second.Invert(parse(t, second.After))
			if err != nil {
				t.Fatal(err)
			}
			same(t, "switch undone", back.After, g.flagged)
			back, err = first.Invert(parse(t, back.After))
			if err != nil {
				t.Fatal(err)
			}
			same(t, "flag undone", back.After, g.before)
		})
	}
}

// If the parent mappings exist, a whole migration adds two lines and removes one.
func TestEdit_wholeMigration_twoLinesAddedOneRemoved(t *testing.T) {
	tried := 0
	for _, g := range goldens(t) {
		switch g.name {
		case "two_space", "crlf", "bom", "crlf_bom_nofinal", "aligned_comments", "quoted_keys", "indentless":
			tried++
		default:
			continue
		}
		e := edit(t, g.before, append([]yamltext.Change{enable()}, switchTo(yamltext.Made{})...)...)
		var plus, minus int
		for _, l := range strings.Split(e.Diff(), "\n")[2:] {
			switch {
			case strings.HasPrefix(l, "+"):
				plus++
			case strings.HasPrefix(l, "-"):
				minus++
			}
		}
		if plus != 2 || minus != 1 {
			t.Errorf("%s: +%d -%d, wanted +2 -1\n%s", g.name, plus, minus, e.Diff())
		}
	}
	if tried != 7 {
		t.Errorf("tried %d files", tried)
	}
}
