package main

import (
	"cmp"
	"crypto/sha256"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// options holds what the source of a version says about flags and gates.
type options struct {
	files map[string][sha256.Size]byte // each file that declares flags or gates
	names map[string]string            // "FOLDER FLAG" to its type, "gate Name" to its specification
}

// comparePatches compares the files that declare flags and gates, and what they declare, with those
// of the first version of the same minor. It saves the gates that make a difference to a command
// line: those that one of the two does not know or has locked.
func comparePatches(root string, versions []string) error {
	first := map[string]options{}
	for _, version := range versions {
		minor := version[:strings.LastIndex(version, ".")]
		built, compares := first[minor]
		o, err := readOptions(root, version)
		if err != nil && !compares {
			return fmt.Errorf("%s: %w", version, err)
		}
		if err != nil { // a module proxy does not have every release
			fmt.Printf("%s: cannot be read: %v\n", version, err)
			continue
		}
		if !compares {
			first[minor] = o
			fmt.Printf("%s: %d files, %d flags and gates\n", version, len(o.files), len(o.names))
			continue
		}
		if err := savePatch(root, version, o.printDifferences(version, built)); err != nil {
			return err
		}
	}
	return nil
}

// printDifferences prints how a version differs from the one of its minor that was built, and returns the
// gates in which that makes a difference to a command line.
func (o options) printDifferences(version string, built options) map[string]string {
	files, names := differences(built.files, o.files), differences(built.names, o.names)
	fmt.Printf("%s: %d files differ, %d flags and gates differ\n", version, len(files), len(names))
	for _, name := range files {
		fmt.Println("  " + name)
	}
	differs := map[string]string{}
	for _, name := range names {
		now, then := o.names[name], built.names[name]
		fmt.Printf("  %s: %s, was %s\n", name, cmp.Or(now, "unknown"), cmp.Or(then, "unknown"))
		if strings.HasPrefix(name, "gate ") && judgedApart(now, then) {
			differs[name] = now
		}
	}
	return differs
}

// judgedApart reports whether a command line can be refused with the one specification of a gate and not
// with the other.
func judgedApart(a, b string) bool {
	return (a == "") != (b == "") || strings.Contains(a+b, "locked")
}

func differences[V comparable](a, b map[string]V) []string {
	var keys []string
	for key := range a {
		if value, is := b[key]; !is || value != a[key] {
			keys = append(keys, key)
		}
	}
	for key := range b {
		if _, is := a[key]; !is {
			keys = append(keys, key)
		}
	}
	slices.Sort(keys)
	return keys
}

// readOptions reads a version from its modules, which are removed afterwards: those of all patch
// releases take more than ten GB.
func readOptions(root, version string) (options, error) {
	b := &builder{version: version, dir: filepath.Join(root, "patches", version), cache: filepath.Join(root, "patches", "cache")}
	if err := writeFile(filepath.Join(b.dir, "go.mod"), []byte("module patch\n\ngo 1.26\n")); err != nil {
		return options{}, err
	}
	o, err := b.readOptions()
	_, cleaned := b.goCommand("clean", "-modcache")
	return o, errors.Join(err, cleaned)
}

func (b *builder) readOptions() (options, error) {
	o := options{map[string][sha256.Size]byte{}, map[string]string{}}
	folders := gateFolders()
	for _, program := range programs() {
		for module, more := range flagFolders(program) {
			folders[module] = append(folders[module], more...)
		}
	}
	kubernetes, err := b.download("k8s.io/kubernetes", "v"+b.version)
	if err != nil {
		return o, err
	}
	b.only = func(module string) bool { return folders[module] != nil }
	if err := b.writeModule(kubernetes.GoMod); err != nil {
		return o, err
	}
	for module, in := range folders {
		at := b.stagedAt(module)
		if at == "" {
			continue // not a staging module of this version
		}
		m, err := b.download(module, at)
		if err != nil {
			return o, err
		}
		for _, folder := range in {
			if err := o.readFolder(m.Dir, module, folder); err != nil {
				return o, err
			}
		}
	}
	gates, err := sourceGates(b)
	if err != nil {
		return o, err
	}
	for gate, spec := range gates {
		o.names["gate "+gate] = spec.String()
	}
	return o, nil
}

// readFolder reads the files of a folder of a module, and of its subfolders.
func (o options) readFolder(dir, module, folder string) error {
	files := os.DirFS(dir)
	return fs.WalkDir(files, folder, func(path string, d fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		text, err := fs.ReadFile(files, path)
		if err != nil {
			return err
		}
		f, err := parser.ParseFile(token.NewFileSet(), path, text, 0)
		if err != nil {
			return err
		}
		flags := map[string]string{}
		readFlags(f, flags)
		for name, kind := range flags {
			o.names[module+"/"+folder+" "+name] = kind
		}
		if len(flags) > 0 || declaresGates(f) {
			o.files[module+"/"+path] = sha256.Sum256(text)
		}
		return nil
	})
}

// declaresGates reports whether a file has a map of gates.
func declaresGates(f *ast.File) bool {
	found := false
	ast.Inspect(f, func(n ast.Node) bool {
		if m, is := n.(*ast.MapType); is && slices.Contains([]string{"FeatureSpec", "VersionedSpecs"}, nameOf(m.Value)) {
			found = true
		}
		return !found
	})
	return found
}
