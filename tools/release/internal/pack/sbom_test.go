package pack

import (
	"bytes"
	"debug/buildinfo"
	"encoding/json"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"strings"
	"testing"

	cdx "github.com/CycloneDX/cyclonedx-go"
)

// The bill of a binary lists the modules of `go version -m`, and nothing else.
func TestBillListsWhatGoLists(t *testing.T) {
	binary := filepath.Join(t.TempDir(), "linked")
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-o", binary, "./testdata/linked").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	info, err := buildinfo.ReadFile(binary)
	if err != nil {
		t.Fatal(err)
	}
	out, err := exec.CommandContext(t.Context(), "go", "version", "-m", binary).Output()
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{}
	for line := range strings.Lines(string(out)) {
		switch f := strings.Fields(line); {
		case len(f) >= 3 && f[0] == "dep":
			want[f[1]] = f[2]
		case len(f) == 2 && strings.HasPrefix(f[1], "go1"):
			want["std"] = strings.TrimPrefix(f[1], "go")
		}
	}
	if len(want) < 4 {
		t.Fatalf("go version -m says little of this binary:\n%s", out)
	}
	for _, c := range decode(t, Modules(info)) {
		if want[c.Name] != c.Version {
			t.Errorf("%s %s is listed, go version -m says %q", c.Name, c.Version, want[c.Name])
		}
		delete(want, c.Name)
	}
	for name, version := range want {
		t.Errorf("%s %s is not listed", name, version)
	}
}

// decode writes a bill of the parts and reads it again.
func decode(t *testing.T, parts []cdx.Component) []cdx.Component {
	t.Helper()
	v, err := ParseVersion("v0.1.0")
	if err != nil {
		t.Fatal(err)
	}
	subject := Subject{Type: cdx.ComponentTypeApplication, Name: "tool", PURL: "pkg:golang/example/tool@v0.1.0", SHA256: Digest(nil), Version: v, At: moment(), License: "Apache-2.0"}
	text, err := BillOfMaterials(subject, parts)
	if err != nil {
		t.Fatal(err)
	}
	again, err := BillOfMaterials(subject, parts)
	if err != nil || !bytes.Equal(text, again) {
		t.Errorf("the same parts make another bill: %v", err)
	}
	var bom cdx.BOM
	if err := json.Unmarshal(text, &bom); err != nil {
		t.Fatal(err)
	}
	if bom.Metadata.Component.Name != "tool" || bom.Metadata.Timestamp != "2026-11-24T05:00:00Z" || (*bom.Metadata.Component.Hashes)[0].Value != Digest(nil) {
		t.Errorf("the bill is not of its subject: %s", text)
	}
	if got := len(*(*bom.Dependencies)[0].Dependencies); got != len(*bom.Components) {
		t.Errorf("%d of %d parts are the subject's", got, len(*bom.Components))
	}
	return *bom.Components
}

// The bill lists the replacement of a replaced module. Two builds of the same modules list
// them once.
func TestModulesAreThoseThatAreLinked(t *testing.T) {
	build := func(more ...*debug.Module) *debug.BuildInfo {
		return &debug.BuildInfo{GoVersion: "go1.26.8", Deps: append(more,
			&debug.Module{Path: "example/a", Version: "v1.0.0", Replace: &debug.Module{Path: "example/fork", Version: "v1.0.1", Sum: "h1:x"}},
			&debug.Module{Path: "example/b", Version: "v2.0.0+incompatible"})}
	}
	var got []string
	for _, c := range Modules(build(), build(&debug.Module{Path: "example/c", Version: "v3.0.0"})) {
		got = append(got, c.PackageURL)
	}
	want := "pkg:golang/example/b@v2.0.0%2Bincompatible pkg:golang/example/c@v3.0.0 pkg:golang/example/fork@v1.0.1 pkg:golang/std@1.26.8"
	if strings.Join(got, " ") != want {
		t.Errorf("%s", got)
	}
}
