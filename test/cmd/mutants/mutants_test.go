package main

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

func sampled(t *testing.T, patterns ...string) []*pkg {
	t.Helper()
	root, err := filepath.Abs(".")
	if err != nil {
		t.Fatal(err)
	}
	packages, err := load(t.Context(), root, patterns)
	if err != nil {
		t.Fatal(err)
	}
	return packages
}

func lines(mutants []mutant) []string {
	var all []string
	for _, m := range mutants {
		all = append(all, m.String())
	}
	return all
}

const everything = 1000

// The list shows each mutant of a small package. It lacks sentences and their conditions.
func TestKinds(t *testing.T) {
	got := lines(newStock(sampled(t, "./testdata/kinds"), 1).take(everything))
	for i := range got {
		got[i] = strings.TrimPrefix(got[i], "testdata/kinds/kinds.go:")
	}
	slices.Sort(got)
	want := []string{
		`10: swapped "one" and "two": One = "one" => One = "two"`,
		`23: returned nil early: func (r *record) add(name string, known bool) error { => func (r *record) add(name string, known bool) error { return nil;`,
		`24: dropped a guard: if name == "" { => if name == "" {}`,
		`24: swapped == and !=: if name == "" { => if name != "" {`,
		`27: negated a condition: if known || r == nil { => if !(known || r == nil) {`,
		`27: swapped == and !=: if known || r == nil { => if known || r != nil {`,
		`27: swapped || and &&: if known || r == nil { => if known && r == nil {`,
		`28: added one: r.Count = 7 => r.Count = 8`,
		`28: dropped an assignment: r.Count = 7 => _ = 7`,
		`30: dropped an append: r.Names = append(r.Names, name) => _ = append(r.Names, name)`,
		`35: returned nil early: func place(n int) (string, error) { => func place(n int) (string, error) { return "", nil;`,
		`37: added one: case 3: => case 4:`,
		`37: dropped a case: case 3: => `,
		`51: added one: func none() int { return -1 } => func none() int { return 0 }`,
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// A mutant changes one place of the text and leaves the rest.
func TestMutant_text_keepsTheRest(t *testing.T) {
	for _, m := range newStock(sampled(t, "./testdata/kinds"), 1).take(everything) {
		begin, end := m.edits[0].from, len(m.source.text)-m.edits[len(m.edits)-1].to
		before, after := string(m.source.text), m.text()
		if after == before || after[:begin] != before[:begin] || after[len(after)-end:] != before[len(before)-end:] {
			t.Errorf("%s changes more than its place", m)
		}
	}
}

// The excerpt of a long line shows the changed part.
func TestExcerpt_longLine_showsTheChange(t *testing.T) {
	line := strings.Repeat("a", 300) + "HERE" + strings.Repeat("z", 300)
	if got := excerpt(line+"\nnext", 300); !strings.Contains(got, "aHEREz") || len(got) > 120 {
		t.Error(got)
	}
	if got := excerpt("\tshort\nnext", 1); got != "short" {
		t.Error(got)
	}
}

func TestSeedDecides(t *testing.T) {
	of := func(seed uint64) []string {
		return lines(newStock(sampled(t, "./testdata/sample/...", "./testdata/kinds"), seed).take(8))
	}
	if one, again := of(1), of(1); !slices.Equal(one, again) {
		t.Errorf("one seed gives\n%v\nand\n%v", one, again)
	}
	if one, two := of(1), of(2); slices.Equal(one, two) {
		t.Errorf("two seeds give the same: %v", one)
	}
}

func TestSharesFollowStatements(t *testing.T) {
	packages := sampled(t, "./testdata/sample/...", "./testdata/kinds")
	sum, shares := 0, newStock(packages, 1).shares(20)
	for i, share := range shares {
		sum += share
		for j := range shares {
			if packages[i].statements() > packages[j].statements() && share < shares[j] {
				t.Errorf("%s is larger than %s and has %d mutants to its %d", packages[i].path, packages[j].path, share, shares[j])
			}
		}
	}
	if sum != 20 {
		t.Errorf("%v are %d, want 20", shares, sum)
	}
}

// The tests directly above a package are those of its importers.
func TestAbove(t *testing.T) {
	packages := sampled(t, "./testdata/sample/...")
	i := slices.IndexFunc(packages, func(p *pkg) bool { return strings.HasSuffix(p.path, "/leaf") })
	leaf, sample := packages[i], packages[1-i]
	if len(leaf.above) != 1 || leaf.above[0] != sample || len(sample.above) != 0 {
		t.Errorf("above the leaf are %v, above the sample %v", leaf.above, sample.above)
	}
}

// The imports of a test file show that it needs a server; its tests are skipped. Without the skip,
// such a test finds no binaries and fails before the first mutant.
func TestWithoutServer(t *testing.T) {
	packages := sampled(t, "./testdata/server")
	if !slices.Equal(packages[0].serverOnly, []string{"TestWithServer"}) {
		t.Errorf("left out: %v", packages[0].serverOnly)
	}
	try := trial{dir: t.TempDir(), timeout: time.Minute, jobs: 1, out: &strings.Builder{}}
	if err := try.green(t.Context(), packages); err != nil {
		t.Error(err)
	}
	packages[0].serverOnly = nil
	if err := try.green(t.Context(), packages); err == nil || !strings.Contains(err.Error(), "TestWithServer") {
		t.Errorf("a test that needs a server was run: %v", err)
	}
}

// In the sample, every mutant dies that a test observes. The tests above kill a leaf's mutants,
// and the timeout kills an endless one. Unobserved mutants survive and are printed with their
// line.
func TestScore(t *testing.T) {
	got, err := report(t, "-timeout", "10s", "-threshold", "60", "./testdata/sample/...")
	if err != nil {
		t.Error(err)
	}
	const at = "testdata/sample/sample.go:17: "
	want := []string{
		"counted as killed, by the timeout of 10s: 1",
		"killed 11 of 14 (78.6 %)",
		at + "replaced a boolean result: return a > b => return false",
		at + "replaced a boolean result: return a > b => return true",
		at + "swapped > and >=: return a > b => return a >= b",
	}
	if slices.Sort(got); !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// Without tests, every mutant survives.
func TestBelowTheThreshold(t *testing.T) {
	got, err := report(t, "./testdata/kinds")
	if err == nil || !strings.Contains(err.Error(), "0.0 % killed, wanted 90.0 %") || !strings.HasPrefix(got[len(got)-1], "killed 0 of 14 ") {
		t.Errorf("%v, after %v", err, got)
	}
}

func report(t *testing.T, args ...string) ([]string, error) {
	t.Helper()
	var out strings.Builder
	err := run(t.Context(), &out, append([]string{"-C", ".", "-n", fmt.Sprint(everything)}, args...))
	return strings.Split(strings.TrimSpace(out.String()), "\n"), err
}

// A test that fails without a mutant would kill every one.
func TestRedAnyway(t *testing.T) {
	packages := sampled(t, "./testdata/red")
	err := trial{dir: t.TempDir(), timeout: time.Minute, jobs: 1, out: &strings.Builder{}}.green(t.Context(), packages)
	if err == nil || !strings.Contains(err.Error(), "red anyway") {
		t.Error(err)
	}
}
