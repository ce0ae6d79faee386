package seal

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"slices"
	"strings"
)

// Names of the files that seal a release.
const (
	ListFile      = "checksums.txt"
	SignatureFile = ListFile + ".sig"
	BundleFile    = ListFile + ".sigstore.json" // of cosign without a key; the release workflow adds it
)

// List returns the SHA-256 of every file of a release by its path, without the files that seal
// it.
func List(release fs.FS) (map[string]string, error) {
	sums := map[string]string{}
	err := fs.WalkDir(release, ".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || slices.Contains([]string{ListFile, SignatureFile, BundleFile}, path) {
			return err
		}
		if !entry.Type().IsRegular() {
			return fmt.Errorf("%s is no regular file", path)
		}
		sums[path], err = sum(release, path)
		return err
	})
	return sums, err
}

func sum(release fs.FS, path string) (_ string, err error) {
	file, err := release.Open(path)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	hash := sha256.New()
	if _, err := io.Copy(hash, file); err != nil {
		return "", fmt.Errorf("read %s: %w", path, err)
	}
	return hex.EncodeToString(hash.Sum(nil)), nil
}

// Format returns the list in the format of sha256sum, in the order of paths.
func Format(sums map[string]string) []byte {
	var out strings.Builder
	for _, path := range slices.Sorted(maps.Keys(sums)) {
		fmt.Fprintf(&out, "%s  %s\n", sums[path], path)
	}
	return []byte(out.String())
}

// Parse parses a list in the format of Format.
func Parse(list []byte) (map[string]string, error) {
	sums := map[string]string{}
	for line := range strings.Lines(string(list)) {
		digest, path, found := strings.Cut(strings.TrimSuffix(line, "\n"), "  ")
		raw, err := hex.DecodeString(digest)
		if !found || err != nil || len(raw) != sha256.Size || !fs.ValidPath(path) || sums[path] != "" {
			return nil, fmt.Errorf("%s: line %q is no checksum of a file below", ListFile, line)
		}
		sums[path] = digest
	}
	return sums, nil
}
