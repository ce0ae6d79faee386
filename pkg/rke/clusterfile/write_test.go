package clusterfile_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/rke/clusterfile"
	"github.com/awsmigrate/awsmigrate/pkg/rke/clusterfile/yamltext"
)

const fileMode = 0o640

// folder creates a folder with a cluster.yml and returns the file's path.
func folder(t testing.TB, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "cluster.yml")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, fileMode); err != nil {
		t.Fatal(err)
	}
	return path
}

func planned(t testing.TB, path string) clusterfile.Edit {
	t.Helper()
	f, err := clusterfile.Read(path)
	if err != nil {
		t.Fatal(err)
	}
	e, err := f.Edit(switchTo(yamltext.Made{})...)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func contents(t testing.TB, path string) []byte {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// leftovers returns the names next to the file other than the file and its backup.
func leftovers(t testing.TB, path string, e clusterfile.Edit) []string {
	t.Helper()
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, d := range entries {
		if d.Name() != filepath.Base(path) && d.Name() != filepath.Base(backupOf(path, e)) {
			out = append(out, d.Name())
		}
	}
	return out
}

func backupOf(path string, e clusterfile.Edit) string {
	return clusterfile.BackupPath(path, e.Receipt().Before)
}

func hasMode(t testing.TB, path string) {
	t.Helper()
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != fileMode {
		t.Errorf("%s: %v, %v", path, info, err)
	}
}

// requireDone checks the promises of a finished write.
func requireDone(t testing.TB, path string, e clusterfile.Edit) {
	t.Helper()
	same(t, "file", contents(t, path), e.After)
	same(t, "backup", contents(t, backupOf(path, e)), e.Before)
	hasMode(t, path)
	hasMode(t, backupOf(path, e))
	if l := leftovers(t, path, e); len(l) > 0 {
		t.Errorf("left behind: %v", l)
	}
}

func TestWrite(t *testing.T) {
	path := folder(t, withAWS)
	e := planned(t, path)
	if err := e.Write(nil, path); err != nil {
		t.Fatal(err)
	}
	requireDone(t, path, e)
	if err := e.Write(nil, path); err != nil {
		t.Errorf("a second time: %v", err)
	}
	requireDone(t, path, e)

	// Undo with the receipt and the files on disk alone.
	backup, err := clusterfile.ReadBackup(clusterfile.Disk{}, path, e.Receipt())
	if err != nil {
		t.Fatal(err)
	}
	f, err := clusterfile.Read(path)
	if err != nil {
		t.Fatal(err)
	}
	back, err := f.Undo(e.Receipt(), backup)
	if err != nil {
		t.Fatal(err)
	}
	if err := back.Write(nil, path); err != nil {
		t.Fatal(err)
	}
	same(t, "file", contents(t, path), []byte(withAWS))
	hasMode(t, path)
}

func TestWrite_emptyEdit_touchesNothing(t *testing.T) {
	path := folder(t, withAWS)
	f, err := clusterfile.Read(path)
	if err != nil {
		t.Fatal(err)
	}
	e, err := f.Edit(enable())
	if err != nil {
		t.Fatal(err)
	}
	old, _ := os.Stat(path)
	if err := e.Write(nil, path); err != nil {
		t.Fatal(err)
	}
	now, _ := os.Stat(path)
	if !os.SameFile(old, now) || len(leftovers(t, path, e)) > 0 {
		t.Error("something was written")
	}
	if _, err := os.Stat(backupOf(path, e)); err == nil {
		t.Error("a backup was made")
	}
}

// spoil runs one write and makes one operation fail. It returns that operation, or is empty if
// the write finished before it.
func spoil(t *testing.T, at int, how mode, errno error) (hit string) {
	path := folder(t, withAWS)
	e := planned(t, path)
	s := &saboteur{FS: clusterfile.Disk{}, at: at, mode: how, err: errno}
	err := e.Write(s, path)
	what := fmt.Sprintf("operation %d, %s, %s", at, s.hit, how)
	now := contents(t, path)
	isOld, isNew := bytes.Equal(now, e.Before), bytes.Equal(now, e.After)
	switch {
	case !isOld && !isNew:
		t.Fatalf("%s: neither the old nor the new text:\n%s", what, now)
	case err == nil && !isNew:
		t.Errorf("%s: no error, and the old text", what)
	case isNew && !bytes.Equal(contents(t, backupOf(path, e)), e.Before):
		t.Errorf("%s: the new text without a backup", what)
	}
	hasMode(t, path)
	if b, err := os.ReadFile(backupOf(path, e)); err == nil {
		same(t, what+": backup", b, e.Before)
		hasMode(t, backupOf(path, e))
	}
	if !s.dead && err != nil {
		bad, ok := fault.As(err)
		if !ok || bad.Class != fault.Usage || bad.Seen == "" || bad.Fix == "" {
			t.Errorf("%s: %v is no clear fault", what, err)
		}
		if isNew && how == fails && bad.Reason != clusterfile.ReasonWrittenNotDurable {
			t.Errorf("%s: the new text, and yet %v", what, err)
		}
		if l := leftovers(t, path, e); len(l) > 0 && s.hit != "remove" && (s.hit != "temp" || how != failsAfter) {
			t.Errorf("%s: left behind %v", what, l)
		}
	}
	// Another run always finishes the work.
	again, err := clusterfile.Read(path)
	if err != nil {
		t.Fatalf("%s: read again: %v", what, err)
	}
	if next, err := again.Edit(switchTo(yamltext.Made{})...); err != nil || next.Write(nil, path) != nil {
		t.Fatalf("%s: run again: %v", what, err)
	}
	if err := e.Write(nil, path); err != nil {
		t.Fatalf("%s: the same write again: %v", what, err)
	}
	requireDone(t, path, e)
	return s.hit
}

// Every operation of a write fails once, and is the last one before a kill once.
func TestEveryOperationSpoilt(t *testing.T) {
	for _, how := range []mode{killed, killedHalf, fails, failsAfter} {
		for _, errno := range []error{syscall.ENOSPC, syscall.EIO, syscall.EROFS} {
			var hit []string
			for at := 0; ; at++ {
				op := spoil(t, at, how, errno)
				if op == "" {
					break
				}
				hit = append(hit, op)
			}
			for _, op := range []string{"resolve", "stat", "list", "read", "temp", "write", "like", "sync", "close", "rename", "syncdir"} {
				if !slices.Contains(hit, op) {
					t.Errorf("%s: %s was never spoilt: %v", how, op, hit)
				}
			}
			if n := len(hit); n < 18 || n > 40 {
				t.Errorf("%s: %d operations: %v", how, n, hit)
			}
		}
	}
}

func TestShortWrites(t *testing.T) {
	tried := 0
	for at := range 30 {
		if spoil(t, at, short, nil) == "write" {
			tried++
		}
	}
	if tried != 2 {
		t.Errorf("%d short writes, wanted that of the backup and that of the file", tried)
	}
}

// The next write removes the temporary file of a killed run, and no foreign files.
func TestLeftoversAreSwept(t *testing.T) {
	path := folder(t, withAWS)
	e := planned(t, path)
	dir := filepath.Dir(path)
	for _, name := range []string{".cluster.yml.awsmigrate-123.tmp", ".cluster.yml.swp", ".other.yml.awsmigrate-1.tmp", "cluster.yml.tmp"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := e.Write(nil, path); err != nil {
		t.Fatal(err)
	}
	want := []string{".cluster.yml.swp", ".other.yml.awsmigrate-1.tmp", "cluster.yml.tmp"}
	if got := leftovers(t, path, e); !slices.Equal(got, want) {
		t.Errorf("left: %v, wanted %v", got, want)
	}
}

// Another writer saves the file during the write. Until our last check, their text is kept and
// we refuse.
func TestChangedWhileWriting(t *testing.T) {
	const theirs = "nodes: []\n# theirs\n"
	last := 0
	for at := 0; ; at++ {
		path := folder(t, withAWS)
		e := planned(t, path)
		s := &saboteur{FS: clusterfile.Disk{}, mode: nothing}
		renames := 0
		s.before = func(op string) {
			if op == "rename" {
				renames++
			}
			// After the last check, directly before the second rename, it is too late.
			if s.n == at && (op != "rename" || renames < 2) && bytes.Equal(contents(t, path), e.Before) {
				if err := os.WriteFile(path, []byte(theirs), fileMode); err != nil {
					t.Fatal(err)
				}
			}
		}
		err := e.Write(s, path)
		now := string(contents(t, path))
		if now == theirs {
			last = at
			if bad, ok := fault.As(err); !ok || bad.Class != fault.Usage || bad.Reason != clusterfile.ReasonChanged {
				t.Errorf("changed before operation %d: %v", at, err)
			}
			if l := leftovers(t, path, e); len(l) > 0 {
				t.Errorf("changed before operation %d: left behind %v", at, l)
			}
		} else if err != nil || now != string(e.After) {
			t.Errorf("changed before operation %d: %v\n%s", at, err, now)
		}
		if at >= s.n {
			break
		}
	}
	if last < 12 {
		t.Errorf("the last look was before operation %d: too early", last)
	}
}

func TestChangedBetweenReadAndWrite(t *testing.T) {
	path := folder(t, withAWS)
	e := planned(t, path)
	for what, text := range map[string]string{"a space": withAWS + " ", "emptied": "", "shorter": withAWS[:40]} {
		if err := os.WriteFile(path, []byte(text), fileMode); err != nil {
			t.Fatal(err)
		}
		bad, ok := fault.As(e.Write(nil, path))
		if !ok || bad.Class != fault.Usage || bad.Reason != clusterfile.ReasonChanged {
			t.Errorf("%s: %v", what, bad)
		}
		if string(contents(t, path)) != text || len(leftovers(t, path, e)) > 0 {
			t.Errorf("%s: the folder was touched", what)
		}
		if _, err := os.Stat(backupOf(path, e)); err == nil {
			t.Errorf("%s: a backup was made of a text that is gone", what)
		}
	}
}

func TestWrite_existingBackup_kept(t *testing.T) {
	path := folder(t, withAWS)
	e := planned(t, path)
	name := backupOf(path, e)
	if err := os.WriteFile(name, []byte("precious"), 0o600); err != nil {
		t.Fatal(err)
	}
	bad, ok := fault.As(e.Write(nil, path))
	if !ok || bad.Class != fault.Usage || bad.Reason != clusterfile.ReasonBackup || !strings.Contains(bad.Object, ".bak") {
		t.Errorf("%v", bad)
	}
	if string(contents(t, name)) != "precious" || string(contents(t, path)) != withAWS {
		t.Error("something was overwritten")
	}
	first, second := clusterfile.BackupPath(path, e.Receipt().Before), clusterfile.BackupPath(path, e.Receipt().After)
	if first == second || !strings.HasPrefix(first, path+".awsmigrate-") || !strings.HasSuffix(first, ".bak") {
		t.Errorf("%s, %s", first, second)
	}
}

func TestReadBackup_otherText_refused(t *testing.T) {
	path := folder(t, withAWS)
	e := planned(t, path)
	if err := e.Write(nil, path); err != nil {
		t.Fatal(err)
	}
	for what, spoil := range map[string]func() error{
		"another text": func() error { return os.WriteFile(backupOf(path, e), []byte("x"), 0o600) },
		"no file":      func() error { return os.RemoveAll(backupOf(path, e)) },
	} {
		if err := spoil(); err != nil {
			t.Fatal(err)
		}
		if _, err := clusterfile.ReadBackup(clusterfile.Disk{}, path, e.Receipt()); fault.ClassOf(err) != fault.Usage {
			t.Errorf("%s: %v", what, err)
		}
	}
}
