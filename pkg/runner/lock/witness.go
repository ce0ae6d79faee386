package lock

import (
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// Witness records, in this machine's memory, which version of a Lease a run wrote last. Clones
// that resume from one memory snapshot share boot ID, host name and process IDs, but a run lives
// only on one of them. Their memory differs after the first write that follows the snapshot, and
// so do their witnesses.
type Witness interface {
	// Note records the version that run has written. It is best effort: without a record, the
	// owner is watched.
	Note(run, version string)
	// Saw reports whether run wrote that version on this machine, and none after it.
	Saw(run, version string) bool
	// Forget deletes the record of run.
	Forget(run string)
}

// HostWitness returns the Witness of this machine. Its files are in shared memory, which no disk,
// image or reboot preserves. Without shared memory it records nothing.
func HostWitness() Witness { return files{"/dev/shm"} }

type files struct{ dir string }

// runName matches the run IDs that are safe as file names.
var runName = regexp.MustCompile(`^[A-Za-z0-9-]{1,100}$`)

// maxVersion is the read limit of a file in bytes; a version is a number.
const maxVersion = 64

func (f files) path(run string) (string, bool) {
	return filepath.Join(f.dir, "awsmigrate-"+run), runName.MatchString(run)
}

// Note implements Witness. The directory is shared with other users, so Note writes to no link
// and to no file of another user.
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
