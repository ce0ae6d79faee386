// Command notices writes THIRD_PARTY_NOTICES anew; run it in the root of the
// repository.
package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/awsmigrate/awsmigrate/internal/notices"
)

func main() {
	if err := write(context.Background(), "."); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func write(ctx context.Context, root string) error {
	text, err := generate(ctx, root)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(root, "THIRD_PARTY_NOTICES"), text, 0o644)
}

// platforms that awsmigrate is built for; what is linked differs a little.
var platforms = [][2]string{{"linux", "amd64"}, {"linux", "arm64"}, {"darwin", "amd64"}, {"darwin", "arm64"}}

func generate(ctx context.Context, root string) ([]byte, error) {
	var all []notices.Package
	for _, p := range platforms {
		list, err := goTool(ctx, root, p, "list", "-deps", "-json=ImportPath,Dir,Standard,Module", "./cmd/awsmigrate")
		if err != nil {
			return nil, err
		}
		packages, err := notices.Decode(bytes.NewReader(list))
		if err != nil {
			return nil, err
		}
		all = append(all, packages...)
	}
	goroot, err := goTool(ctx, root, platforms[0], "env", "GOROOT")
	if err != nil {
		return nil, err
	}
	return notices.Text(all, strings.TrimSpace(string(goroot)))
}

func goTool(ctx context.Context, root string, platform [2]string, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir = root
	cmd.Env = append(os.Environ(), "GOOS="+platform[0], "GOARCH="+platform[1], "CGO_ENABLED=0")
	var errors bytes.Buffer
	cmd.Stderr = &errors
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go %s for %s/%s: %w: %s", strings.Join(args, " "), platform[0], platform[1], err, errors.String())
	}
	return out, nil
}
