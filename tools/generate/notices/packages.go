package notices

import (
	"bytes"
	"context"
	"fmt"
	"os/exec"
	"strings"
)

// platforms lists the platforms that awsmigrate is built for. Their linked packages differ
// slightly.
var platforms = [][2]string{{"linux", "amd64"}, {"linux", "arm64"}, {"darwin", "amd64"}, {"darwin", "arm64"}}

// Page returns THIRD_PARTY_NOTICES of the program in root, the folder of the repository,
// for every platform that it is built for.
func Page(ctx context.Context, root string) ([]byte, error) {
	var all []Package
	for _, p := range platforms {
		list, err := goTool(ctx, root, p, "list", "-deps", "-json=ImportPath,Dir,Standard,Module", "./cmd/awsmigrate")
		if err != nil {
			return nil, err
		}
		packages, err := decode(bytes.NewReader(list))
		if err != nil {
			return nil, err
		}
		all = append(all, packages...)
	}
	goroot, err := goTool(ctx, root, platforms[0], "env", "GOROOT")
	if err != nil {
		return nil, err
	}
	return compose(all, strings.TrimSpace(string(goroot)))
}

func goTool(ctx context.Context, root string, platform [2]string, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir = root
	cmd.Env = append(cmd.Environ(), "GOOS="+platform[0], "GOARCH="+platform[1], "CGO_ENABLED=0")
	var errors bytes.Buffer
	cmd.Stderr = &errors
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go %s for %s/%s: %w: %s", strings.Join(args, " "), platform[0], platform[1], err, errors.String())
	}
	return out, nil
}
