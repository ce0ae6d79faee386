package seal

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
)

// Seen is the result of a verification.
type Seen struct {
	Verified []string // files that match the list
	Absent   []string // files of the list that are missing
}

// Verify proves by a public key that a folder holds unchanged files of one release. Files may
// be missing. It returns an error for a file that is not in the list, and for a folder without
// any file of the list.
func Verify(release fs.FS, key []byte) (Seen, error) {
	list, err := fs.ReadFile(release, ListFile)
	if err != nil {
		return Seen{}, err
	}
	signed, err := fs.ReadFile(release, SignatureFile)
	if err != nil {
		return Seen{}, err
	}
	if err := checkSignature(list, signed, key); err != nil {
		return Seen{}, err
	}
	wanted, err := Parse(list)
	if err != nil {
		return Seen{}, err
	}
	here, err := List(release)
	if err != nil {
		return Seen{}, err
	}
	return compare(wanted, here)
}

func compare(wanted, here map[string]string) (Seen, error) {
	var seen Seen
	var faults []error
	for _, path := range slices.Sorted(maps.Keys(here)) {
		switch wanted[path] {
		case here[path]:
			seen.Verified = append(seen.Verified, path)
		case "":
			faults = append(faults, fmt.Errorf("%s is not in %s", path, ListFile))
		default:
			faults = append(faults, fmt.Errorf("%s has SHA-256 %s, %s says %s", path, here[path], ListFile, wanted[path]))
		}
	}
	for _, path := range slices.Sorted(maps.Keys(wanted)) {
		if here[path] == "" {
			seen.Absent = append(seen.Absent, path)
		}
	}
	if len(here) == 0 {
		faults = append(faults, fmt.Errorf("no file that %s names is here", ListFile))
	}
	return seen, errors.Join(faults...)
}
