package lock

import (
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// Witness keeps in this machine's memory which version of a Lease a run wrote last. Clones
// that resume one memory snapshot share boot id, host name and process ids, and a run that
// lives on one of them is in the process table of no other. Their memory parts with the
// first write after the snapshot, and so do their witnesses.
type Witness interface {
	// Note keeps the version that run has written. It is best effort: without it the owner
	// of a lock is watched.
	Note(run, version string)
	// Saw reports whether run wrote that version here, and none after it.
	Saw(run, version string) bool
	// Forget drops what is kept of run.
	Forget(run string)
}

// HostWitness returns the Witness of this machine: files in shared memory, which no disk,
// no image and no reboot carries over. Where there is no such place it keeps nothing.
func HostWitness() Witness { return files{"/dev/shm"} }

type files struct{ dir string }

// runName is what a run may be called whose name becomes that of a file.
var runName = regexp.MustCompile(`^[A-Za-z0-9-]{1,100}$`)

// maxVersion bounds what is read of a file: a version is a number.
const maxVersion = 64

func (f files) path(run string) (string, bool) {
	return filepath.Join(f.dir, "awsmigrate-"+run), runName.MatchString(run)
}

// Note implements Witness. The directory is shared: a file that is a link, or another
// user's, is not written.
func (f files) Note(run, version string) {
	path, named := f.path(run)
	if !named {
		return
	}
	file, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_TRUNC|noFollow, 0o600)
	if err != nil {
		return
	}
	_, _ = file.WriteString(version)
	_ = file.Close()
}

// Saw implements Witness.
func (f files) Saw(run, version string) bool {
	path, named := f.path(run)
	if !named || version == "" {
		return false
	}
	file, err := os.OpenFile(path, os.O_RDONLY|noFollow, 0)
	if err != nil {
		return false
	}
	defer func() { _ = file.Close() }()
	kept, err := io.ReadAll(io.LimitReader(file, maxVersion))
	return err == nil && strings.TrimSpace(string(kept)) == version
}

// Forget implements Witness.
func (f files) Forget(run string) {
	if path, named := f.path(run); named {
		_ = os.Remove(path)
	}
}
