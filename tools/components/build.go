package main

import (
	"bufio"
	"bytes"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"text/template"
)

//go:embed probe.go.txt
var probeSource string

// patchDistance bounds how far the patch of a staging module may be from that of Kubernetes.
const patchDistance = 12

// builder builds the probes of one Kubernetes version in a throw-away module.
type builder struct {
	version string // 1.31.2
	dir     string // of the module
	out     string // the folder of the programs
	stand   []string
	cache   string            // module cache; empty: Go's own
	only    func(string) bool // the staging modules that are read; nil: all
}

// build builds the probe of each component of a version, and saves what they print for the table. It
// returns the staging modules that another patch release stands for.
func build(version, root string) ([]string, error) {
	b, err := prepare(version, root)
	if err != nil {
		return nil, err
	}
	if err := b.completeKubernetes(); err != nil {
		return nil, err
	}
	for _, program := range programs() {
		if err := b.writeProbe(program); err != nil {
			return nil, err
		}
	}
	if _, err := b.goCommand("mod", "tidy", "-e"); err != nil {
		return nil, err
	}
	if _, err := b.goCommand("build", "-p", "2", "-ldflags=-s -w", "-gcflags=all=-N -l -dwarf=false", "-o", b.out+"/", "./kube..."); err != nil {
		return nil, err
	}
	return b.stand, b.saveDump(root)
}

// saveDump saves what the probes print.
func (b *builder) saveDump(root string) error {
	dumps := map[string]json.RawMessage{}
	for _, program := range programs() {
		out, err := exec.Command(filepath.Join(b.out, program), "dump").Output() //nolint:noctx // just built, run by hand
		if err != nil {
			return fmt.Errorf("%s/%s dump: %w", b.out, program, err)
		}
		dumps[program] = out
	}
	data, err := json.Marshal(dumps)
	if err != nil {
		return err
	}
	return writeFile(dumpOf(root, b.version), data)
}

// dumpOf returns the file with the flags and gates of a built version.
func dumpOf(root, version string) string { return filepath.Join(root, "dumps", version+".json") }

// prepare writes the throw-away module of a version, which names the releases of its staging modules.
func prepare(version, root string) (*builder, error) {
	b := &builder{version: version, dir: filepath.Join(root, "src", version), out: filepath.Join(root, version)}
	if err := writeFile(filepath.Join(b.dir, "go.mod"), []byte("module probe\n\ngo 1.26\n")); err != nil {
		return nil, err
	}
	kubernetes, err := b.download("k8s.io/kubernetes", "v"+version)
	if err != nil {
		return nil, err
	}
	return b, b.writeModule(kubernetes.GoMod)
}

// sourceOf returns the builder of a version whose source is read, with its module.
func sourceOf(version, root string) (*builder, error) {
	b := &builder{version: version, dir: filepath.Join(root, "src", version)}
	if b.replaced("k8s.io/apimachinery") != "" {
		return b, nil // prepared
	}
	return prepare(version, root)
}

// writeFile writes a file and creates its folder.
func writeFile(path string, content []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, content, 0o600)
}

// module holds the output of `go mod download -json`.
type module struct{ Version, GoMod, Dir, Error string }

func (b *builder) download(path, version string) (module, error) {
	out, err := b.goCommand("mod", "download", "-json", path+"@"+version)
	var m module
	if len(out) > 0 {
		if err := json.Unmarshal(out, &m); err != nil {
			return m, err
		}
	}
	if m.Error != "" {
		return m, errors.New(m.Error)
	}
	return m, err
}

// writeModule requires Kubernetes and replaces its staging modules, which it requires as v0.0.0.
func (b *builder) writeModule(goMod string) error {
	content, err := os.ReadFile(goMod)
	if err != nil {
		return err
	}
	var replaces strings.Builder
	lines := bufio.NewScanner(bytes.NewReader(content))
	for lines.Scan() {
		fields := strings.Fields(lines.Text())
		if len(fields) < 2 || !strings.HasPrefix(fields[0], "k8s.io/") || fields[1] != "v0.0.0" || b.only != nil && !b.only(fields[0]) {
			continue
		}
		v, err := b.staging(fields[0])
		if err != nil {
			return err
		}
		fmt.Fprintf(&replaces, "replace %s => %s %s\n", fields[0], fields[0], v)
	}
	text := fmt.Sprintf("module probe\n\ngo 1.26\n\nrequire k8s.io/kubernetes v%s\n\n%s", b.version, replaces.String())
	return os.WriteFile(filepath.Join(b.dir, "go.mod"), []byte(text), 0o600)
}

// apiDefinitions stands for the file with the definitions of Kubernetes' API, which its own build
// generates first up to 1.23. No parser of arguments reads it.
const apiDefinitions = `package openapi

import "k8s.io/kube-openapi/pkg/common"

func GetOpenAPIDefinitions(common.ReferenceCallback) map[string]common.OpenAPIDefinition { return nil }
`

// completeKubernetes replaces a Kubernetes whose source lacks the definitions of its API by a copy
// that has apiDefinitions: Go overlays no file of its module cache.
func (b *builder) completeKubernetes() error {
	const name = "pkg/generated/openapi/zz_generated.openapi.go"
	kubernetes, err := b.download("k8s.io/kubernetes", "v"+b.version)
	if err != nil {
		return err
	}
	if _, err := os.Stat(filepath.Join(kubernetes.Dir, name)); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	complete := filepath.Join(b.dir, "complete")
	if err := errors.Join(os.RemoveAll(complete), os.CopyFS(complete, os.DirFS(kubernetes.Dir)), writeFile(filepath.Join(complete, name), []byte(apiDefinitions))); err != nil {
		return err
	}
	_, err = b.goCommand("mod", "edit", "-replace=k8s.io/kubernetes=./complete")
	return err
}

// staging returns the patch release of a staging module that is nearest to Kubernetes'.
func (b *builder) staging(path string) (string, error) {
	parts := strings.Split(b.version, ".")
	patch, err := strconv.Atoi(parts[2])
	if err != nil {
		return "", err
	}
	for d := range patchDistance {
		for _, p := range []int{patch - d, patch + d} {
			v := fmt.Sprintf("v0.%s.%d", parts[1], p)
			if p < 0 {
				continue
			}
			if _, err = b.download(path, v); err == nil {
				if d > 0 {
					b.stand = append(b.stand, path+"@"+v)
				}
				return v, nil
			}
		}
	}
	return "", fmt.Errorf("%s of %s: %w", path, b.version, err)
}

// probe holds what differs between the components and moved between the versions.
type probe struct {
	Version, Program, Constructor, Registry string
	IsAPIServer, IsKubelet                  bool
	CLIRun                                  bool     // every main begins with cli.Run, from 1.23 on
	AddsGoFlags                             bool     // its main adds every flag of package flag
	Imports                                 []string // of its main
}

// constructors returns the functions that make the commands.
func constructors() map[string]string {
	return map[string]string{"kube-apiserver": "NewAPIServerCommand", "kube-controller-manager": "NewControllerManagerCommand",
		"kube-scheduler": "NewSchedulerCommand", "kube-proxy": "NewProxyCommand", "kubelet": "NewKubeletCommand"}
}

// writeProbe writes the probe of a component.
func (b *builder) writeProbe(program string) error {
	p := probe{Version: b.version, Program: program, Constructor: constructors()[program],
		IsAPIServer: program == "kube-apiserver", IsKubelet: program == "kubelet"}
	kubernetes, err := b.download("k8s.io/kubernetes", "v"+b.version)
	if err != nil {
		return err
	}
	if p.Imports, err = importsOf(filepath.Join(kubernetes.Dir, "cmd", program)); err != nil {
		return err
	}
	p.CLIRun = slices.Contains(p.Imports, "k8s.io/component-base/cli")
	p.AddsGoFlags = slices.Contains(p.Imports, "flag")
	if p.Registry, err = b.gateRegistry(); err != nil {
		return err
	}
	t, err := template.New("probe").Parse(probeSource)
	if err != nil {
		return err
	}
	var text bytes.Buffer
	if err := t.Execute(&text, p); err != nil {
		return err
	}
	return writeFile(filepath.Join(b.dir, program, "main.go"), text.Bytes())
}

// importsOf returns what a folder imports, without its subfolders.
func importsOf(dir string) ([]string, error) {
	names, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		return nil, err
	}
	var imports []string
	for _, name := range names {
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ImportsOnly)
		if err != nil {
			return nil, err
		}
		for _, one := range f.Imports {
			imports = append(imports, strings.Trim(one.Path.Value, `"`))
		}
	}
	return imports, nil
}

// gateRegistry returns the package that holds the gates of all parts of a component, or "" if the
// version has none.
func (b *builder) gateRegistry() (string, error) {
	apiserver, err := b.download("k8s.io/apiserver", b.replaced("k8s.io/apiserver"))
	if err != nil {
		return "", err
	}
	source, err := os.ReadFile(filepath.Join(apiserver.Dir, "pkg/server/options/server_run_options.go"))
	if err != nil || !bytes.Contains(source, []byte("DefaultComponentGlobalsRegistry")) {
		return "", err
	}
	for _, path := range []string{"k8s.io/apiserver/pkg/util/compatibility", "k8s.io/component-base/featuregate", "k8s.io/apiserver/pkg/util/version"} {
		if bytes.Contains(source, []byte(`"`+path+`"`)) {
			return path, nil
		}
	}
	return "", nil
}

// stagedAt returns the version of Kubernetes' own module or of one that it stages, or "" if the version
// stages no such module.
func (b *builder) stagedAt(module string) string {
	if module == "k8s.io/kubernetes" {
		return "v" + b.version
	}
	return b.replaced(module)
}

// replaced returns the version of a staging module in the go.mod that writeModule wrote.
func (b *builder) replaced(module string) string {
	content, err := os.ReadFile(filepath.Join(b.dir, "go.mod"))
	if err != nil {
		return ""
	}
	for line := range strings.Lines(string(content)) {
		if f := strings.Fields(line); len(f) == 5 && f[0] == "replace" && f[1] == module {
			return f[4]
		}
	}
	return ""
}

func (b *builder) goCommand(args ...string) ([]byte, error) {
	cmd := exec.Command("go", args...) //nolint:noctx // fixed words, run by hand
	cmd.Dir = b.dir
	cmd.Env = append(cmd.Environ(), "GOFLAGS=-mod=mod -trimpath -buildvcs=false", "GONOSUMDB=k8s.io/*", "CGO_ENABLED=0", "GOWORK=off")
	if b.cache != "" {
		cmd.Env = append(cmd.Env, "GOMODCACHE="+b.cache)
	}
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		return stdout.Bytes(), fmt.Errorf("go %s: %w: %s", strings.Join(args, " "), err, stderr.String())
	}
	return stdout.Bytes(), nil
}
