package source

import (
	"debug/elf"
	"debug/macho"
	"errors"
	"fmt"
	"slices"
)

// checkSelfContained returns an error unless a program runs without other files: for linux on an
// empty image, for darwin with the libraries of the system. Any dependency that uses cgo may
// add a C library.
func checkSelfContained(path, goos string) error {
	switch goos {
	case "linux":
		return staticELF(path)
	case "darwin":
		return positionIndependentMachO(path)
	}
	return fmt.Errorf("%s: no check of self-contained programs on %s", path, goos)
}

func staticELF(path string) (err error) {
	file, err := elf.Open(path)
	if err != nil {
		return fmt.Errorf("read %s: %w", path, err)
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	interpreted := func(p *elf.Prog) bool { return p.Type == elf.PT_INTERP || p.Type == elf.PT_DYNAMIC }
	if slices.ContainsFunc(file.Progs, interpreted) {
		return fmt.Errorf("%s is not static: it asks for an interpreter or libraries", path)
	}
	return nil
}

func positionIndependentMachO(path string) (err error) {
	file, err := macho.Open(path)
	if err != nil {
		return fmt.Errorf("read %s: %w", path, err)
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	if file.Flags&macho.FlagPIE == 0 {
		return fmt.Errorf("%s is not position-independent", path)
	}
	return nil
}
