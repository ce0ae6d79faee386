package source

import (
	"context"
	"debug/buildinfo"
	"encoding/json"
	"fmt"
	"runtime/debug"

	"github.com/awsmigrate/awsmigrate/tools/release/internal/pack"
)

// Program describes a program and its build.
type Program struct {
	Dir     string // of the copy that Checkout made
	Package string // "./cmd/awsmigrate"
	Version string
	Tags    string   // build tags
	Env     []string // of the caller: the sources of modules
}

// own returns the variables of Go that affect the built program.
func own() []string {
	return []string{"CGO_ENABLED=0", "GOAMD64=v1", "GOARM64=v8.0", "GOFIPS140=off", "GOFLAGS=", "GOWORK=off", "GOENV=off", "GOTOOLCHAIN=local"}
}

// Build writes the program for a platform to out, and returns its build information. For linux
// it is static and loads at a fixed address. Go links a position-independent program without
// an interpreter only through a C compiler for each architecture (golang/go#64875), whose
// version would have to be equal everywhere. For darwin it is position-independent, and signed
// ad hoc by Go's linker.
func (p Program) Build(ctx context.Context, platform pack.Platform, out string) (*debug.BuildInfo, error) {
	env, err := p.environment(ctx)
	if err != nil {
		return nil, err
	}
	env = append(env, "GOOS="+platform.OS, "GOARCH="+platform.Arch)
	if _, err := run(ctx, p.Dir, env, "go", "build", "-trimpath", "-buildvcs=true", "-mod=readonly", "-tags="+p.Tags, "-ldflags=-s -w", "-o", out, p.Package); err != nil {
		return nil, err
	}
	info, err := buildinfo.ReadFile(out)
	if err != nil {
		return nil, fmt.Errorf("what Go says of %s: %w", out, err)
	}
	if info.Main.Version != p.Version {
		return nil, fmt.Errorf("%s says that it is %s, wanted %s", out, info.Main.Version, p.Version)
	}
	return info, checkSelfContained(out, platform.OS)
}

// environment returns the environment of the caller without variables that affect the built
// program. Of the settings of `go env -w` only those about the sources of modules apply.
func (p Program) environment(ctx context.Context) ([]string, error) {
	kept := []string{"GOPROXY", "GONOPROXY", "GOSUMDB", "GONOSUMDB", "GOPRIVATE", "GOINSECURE", "GOVCS", "GOAUTH", "GOMODCACHE", "GOCACHE"}
	answer, err := run(ctx, p.Dir, p.Env, "go", append([]string{"env", "-json"}, kept...)...)
	if err != nil {
		return nil, err
	}
	var known map[string]string
	if err := json.Unmarshal([]byte(answer), &known); err != nil {
		return nil, fmt.Errorf("go env -json: %w", err)
	}
	env := append(dropVariables(p.Env, "GO*", "CGO_*", "GIT_*"), own()...)
	for _, name := range kept {
		if known[name] != "" {
			env = append(env, name+"="+known[name])
		}
	}
	return env, nil
}

// GoVersion returns the version of the go command, such as go1.26.8.
func GoVersion(ctx context.Context, env []string) (string, error) {
	return run(ctx, "", env, "go", "env", "GOVERSION")
}
