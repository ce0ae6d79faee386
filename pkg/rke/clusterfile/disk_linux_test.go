package clusterfile_test

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/rke/clusterfile"
)

const unprivilegedUser = 65534

func unreadable(t *testing.T, path, seen string) {
	t.Helper()
	f, err := clusterfile.Read(path)
	bad, ok := fault.As(err)
	if f != nil || !ok || bad.Class != fault.Usage || bad.Reason != clusterfile.ReasonUnreadable ||
		bad.Object != path || !strings.Contains(bad.Seen, seen) {
		t.Errorf("%s: %#v, wanted %q", path, err, seen)
	}
}

func TestRead_unsuitableFile_refused(t *testing.T) {
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	for _, err := range []error{
		os.Symlink("loop", in("loop")),
		os.Symlink("b", in("a")), os.Symlink("a", in("b")),
		os.Symlink("nowhere", in("dangling")),
		os.Symlink(".", in("tofolder")),
		syscall.Mkfifo(in("pipe"), 0o600),
		os.WriteFile(in("file"), []byte("a: b\n"), 0o600),
		os.WriteFile(in("large"), []byte("a: b\n"), 0o600),
		os.Truncate(in("large"), 1<<30),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	unreadable(t, in("loop"), "leads back to itself")
	unreadable(t, in("a"), "leads back to itself")
	unreadable(t, in("loop/cluster.yml"), "")
	unreadable(t, in("dangling"), "does not exist")
	unreadable(t, in("missing"), "does not exist")
	unreadable(t, in("file/cluster.yml"), "cannot be reached")
	unreadable(t, dir, "is a folder")
	unreadable(t, in("tofolder"), "is a folder")
	unreadable(t, in("pipe"), "no regular file")
	unreadable(t, in("large"), "bytes long")
	unreadable(t, "/dev/null", "no regular file")
}

func TestRead_badLine_namesFileAndLine(t *testing.T) {
	path := folder(t, "services: {}\nservices: {}\n")
	_, err := clusterfile.Read(path)
	if bad, ok := fault.As(err); !ok || bad.Object != path+":2" {
		t.Errorf("%v", err)
	}
}

// A link remains a link. Its target is written, and the backup is next to the target.
func TestWriteThroughLinks(t *testing.T) {
	path := folder(t, withAWS)
	links := t.TempDir()
	near := filepath.Join(links, "near.yml")
	far := filepath.Join(links, "far.yml")
	if err := os.Symlink(path, far); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("far.yml", near); err != nil {
		t.Fatal(err)
	}
	e := planned(t, near)
	if e.Name != near {
		t.Errorf("the edit is of %s", e.Name)
	}
	if err := e.Write(nil, near); err != nil {
		t.Fatal(err)
	}
	requireDone(t, path, e)
	for _, l := range []string{near, far} {
		if info, err := os.Lstat(l); err != nil || info.Mode()&os.ModeSymlink == 0 {
			t.Errorf("%s is no longer a link: %v", l, err)
		}
	}
	if entries, _ := os.ReadDir(links); len(entries) != 2 {
		t.Errorf("next to the links: %v", entries)
	}
	if _, err := clusterfile.ReadBackup(clusterfile.Disk{}, near, e.Receipt()); err != nil {
		t.Errorf("the backup through the link: %v", err)
	}
}

func TestWrite_modeAndOwner_kept(t *testing.T) {
	for _, mode := range []os.FileMode{0o600, 0o644, 0o444, 0o660} {
		path := folder(t, withAWS)
		uid := os.Getuid()
		if uid == 0 {
			uid = 1234 // only root may give files away
		}
		if err := os.Chown(path, uid, os.Getgid()); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
		e := planned(t, path)
		if err := e.Write(nil, path); err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{path, backupOf(path, e)} {
			info, err := os.Stat(name)
			if err != nil {
				t.Fatal(err)
			}
			if owner := int(info.Sys().(*syscall.Stat_t).Uid); owner != uid || info.Mode().Perm() != mode {
				t.Errorf("%s: owner %d, %v; wanted %d, %v", name, owner, info.Mode(), uid, mode)
			}
		}
	}
}

// unprivileged runs do on a thread without root's rights over files. Other users have no such
// rights.
func unprivileged(t *testing.T, do func()) {
	t.Helper()
	if os.Getuid() != 0 {
		do()
		return
	}
	finished := make(chan error)
	go func() {
		// The thread is never unlocked: it ends with the goroutine.
		runtime.LockOSThread()
		err := syscall.Setfsgid(unprivilegedUser)
		if err == nil {
			err = syscall.Setfsuid(unprivilegedUser)
		}
		if err == nil {
			do()
		}
		finished <- err
	}()
	if err := <-finished; err != nil {
		t.Fatal(err)
	}
}

// give creates a file and its folders, owned by the user unprivilegedUser, as unprivileged sees
// them. // words:ok
func give(t *testing.T, path string, mode, dirMode os.FileMode) {
	t.Helper()
	dir := filepath.Dir(path)
	if os.Getuid() == 0 {
		if err := os.Chmod(filepath.Dir(dir), 0o755); err != nil {
			t.Fatal(err)
		}
		for _, p := range []string{path, dir} {
			if err := os.Chown(p, unprivilegedUser, unprivilegedUser); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := os.Chmod(path, mode); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(dir, dirMode); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.Chmod(dir, 0o755) })
}

func TestRead_unreadable_refused(t *testing.T) {
	path := folder(t, withAWS)
	give(t, path, 0, 0o755)
	unprivileged(t, func() { unreadable(t, path, "cannot be read") })

	path = folder(t, withAWS)
	give(t, path, 0o600, 0)
	unprivileged(t, func() { unreadable(t, path, "cannot be reached") })
}

func TestReadOnlyFolder(t *testing.T) {
	path := folder(t, withAWS)
	give(t, path, 0o600, 0o555)
	unprivileged(t, func() {
		err := planned(t, path).Write(nil, path)
		bad, ok := fault.As(err)
		if !ok || bad.Class != fault.Usage || bad.Reason != clusterfile.ReasonNotWritten || !strings.Contains(bad.Fix, "writable") {
			t.Errorf("%#v", err)
		}
	})
	same(t, "file", contents(t, path), []byte(withAWS))
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil || len(entries) != 1 {
		t.Errorf("in the folder: %v, %v", entries, err)
	}
}

// A folder that can be entered and written to but not listed is sufficient.
func TestWrite_unlistableFolder_written(t *testing.T) {
	path := folder(t, withAWS)
	give(t, path, fileMode, 0o300)
	unprivileged(t, func() {
		err := planned(t, path).Write(nil, path)
		// To sync the folder it must be opened, which this one does not allow.
		if bad, ok := fault.As(err); err != nil && (!ok || bad.Class != fault.Usage) {
			t.Errorf("%v", err)
		}
	})
	if now := string(contents(t, path)); now != withAWS {
		t.Errorf("the file was written without a synced backup:\n%s", now)
	}
}

// A user who may write to the folder but not set the owner becomes the owner.
func TestWrite_ownerNotPermitted_becomesOwner(t *testing.T) {
	path := folder(t, withAWS)
	give(t, path, 0o644, 0o777)
	if os.Getuid() == 0 {
		if err := os.Chown(path, 1234, 1234); err != nil {
			t.Fatal(err)
		}
	}
	unprivileged(t, func() {
		if err := planned(t, path).Write(nil, path); err != nil {
			t.Errorf("%v", err)
		}
	})
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o644 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	if string(contents(t, path)) == withAWS {
		t.Error("nothing was written")
	}
}

func TestDiskList(t *testing.T) {
	path := folder(t, withAWS)
	names, err := clusterfile.Disk{}.List(filepath.Dir(path))
	if err != nil || !slices.Equal(names, []string{"cluster.yml"}) {
		t.Errorf("%v, %v", names, err)
	}
}
