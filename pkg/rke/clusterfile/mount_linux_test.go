package clusterfile_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/rke/clusterfile"
	"github.com/awsmigrate/awsmigrate/pkg/rke/clusterfile/yamltext"
)

// onMount is the environment variable that makes this binary run with a small file system of
// its own, in the folder that the variable names.
const onMount = "CLUSTERFILE_TEST_MOUNT"

func TestMain(m *testing.M) {
	if dir := os.Getenv(onMount); dir != "" {
		if err := json.NewEncoder(os.Stdout).Encode(writeOn(dir)); err != nil {
			panic(err)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// outcome is one write on a full or read-only disk.
type outcome struct {
	Free               int // pages left before the write
	Reason, Class, Fix string
	Old, New, Backup   bool
	Left               []string
	Problem            string
}

const page = 4096

// writeOn writes with less and less free space, and then read-only.
func writeOn(dir string) []outcome {
	text := withAWS + "addons: |\n" + strings.Repeat("  # filler of a cluster.yml\n", 2*page/28)
	path := filepath.Join(dir, "cluster.yml")
	var out []outcome
	for free := range 9 {
		out = append(out, attemptOn(path, text, free))
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		return append(out, outcome{Problem: err.Error()})
	}
	if err := syscall.Mount("none", dir, "tmpfs", syscall.MS_REMOUNT|syscall.MS_RDONLY, ""); err != nil {
		return append(out, outcome{Problem: "read-only: " + err.Error()})
	}
	return append(out, judge(path, text, -1))
}

func attemptOn(path, text string, free int) outcome {
	names, _ := filepath.Glob(filepath.Join(filepath.Dir(path), "*"))
	for _, n := range names {
		_ = os.Remove(n)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		return outcome{Problem: err.Error()}
	}
	if err := fill(filepath.Join(filepath.Dir(path), "filler"), free); err != nil {
		return outcome{Problem: err.Error()}
	}
	return judge(path, text, free)
}

// fill uses up the disk except for a number of pages.
func fill(name string, free int) error {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	defer f.Close()
	size := int64(0)
	for {
		n, err := f.Write(make([]byte, page))
		size += int64(n)
		if errors.Is(err, syscall.ENOSPC) {
			return f.Truncate(max(0, size-int64(free*page)))
		}
		if err != nil {
			return err
		}
	}
}

func judge(path, text string, free int) outcome {
	o := outcome{Free: free}
	f, err := clusterfile.Read(path)
	if err != nil {
		o.Problem = err.Error()
		return o
	}
	e, err := f.Edit(switchTo(yamltext.Made{})...)
	if err != nil {
		o.Problem = err.Error()
		return o
	}
	if err := e.Write(nil, path); err != nil {
		bad, _ := fault.As(err)
		if bad == nil {
			bad = &fault.Error{Reason: err.Error()}
		}
		o.Reason, o.Class, o.Fix = bad.Reason, fmt.Sprint(bad.Class == fault.Usage), bad.Fix
	}
	now, _ := os.ReadFile(path)
	backup, _ := os.ReadFile(clusterfile.BackupPath(path, e.Receipt().Before))
	o.Old, o.New, o.Backup = string(now) == text, bytes.Equal(now, e.After), string(backup) == text
	all, _ := os.ReadDir(filepath.Dir(path))
	for _, d := range all {
		if strings.HasSuffix(d.Name(), ".tmp") {
			o.Left = append(o.Left, d.Name())
		}
	}
	return o
}

// Covers a disk with room for neither text, for the backup alone, and for both, and one that is
// mounted read-only. The test fails if unshare does not work: an untested case is not known to
// work.
func TestFullAndReadOnlyDisk(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	cmd := exec.CommandContext(t.Context(), "unshare", "-Urm", "sh", "-c", `mount -t tmpfs -o size=64k none "$1" && exec "$0"`, self, dir)
	cmd.Env = append(os.Environ(), onMount+"="+dir)
	cmd.Stderr = os.Stderr
	raw, err := cmd.Output()
	if err != nil {
		t.Fatalf("unshare: %v\n%s", err, raw)
	}
	var all []outcome
	if err := json.Unmarshal(raw, &all); err != nil || len(all) != 10 {
		t.Fatalf("%v: %s", err, raw)
	}
	seen := map[string]int{}
	for _, o := range all {
		if o.Problem != "" || len(o.Left) > 0 || o.Old == o.New {
			t.Errorf("%+v", o)
		}
		switch {
		case o.Reason == "" && o.New && o.Backup:
			seen["written"]++
		case o.Reason != clusterfile.ReasonNotWritten || o.Class != "true" || !o.Old:
			t.Errorf("%+v", o)
		case o.Free < 0 && strings.Contains(o.Fix, "writable"):
			seen["read-only"]++
		case o.Free >= 0 && strings.Contains(o.Fix, "free space") && o.Backup:
			seen["full after the backup"]++
		case o.Free >= 0 && strings.Contains(o.Fix, "free space"):
			seen["full"]++
		default:
			t.Errorf("%+v", o)
		}
	}
	for _, what := range []string{"written", "full after the backup", "full", "read-only"} {
		if seen[what] == 0 {
			t.Errorf("%s never happened: %+v", what, all)
		}
	}
}
