package remedy

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/awsmigrate/awsmigrate/test/remedy/tool"
)

// TestMain acts as aws or helm if a shell started this binary under that name.
func TestMain(m *testing.M) {
	tool.Main(context.Background())
	os.Exit(m.Run())
}

// realAWS names an AWS CLI to use instead of the stand-in.
const realAWS = "AWSMIGRATE_AWS_CLI"

// toolbox returns a directory for PATH with aws and helm in it.
func toolbox(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	must(t, tool.Link(dir))
	if path := os.Getenv(realAWS); path != "" {
		// IAM needs no region, unless an endpoint is given.
		script := "#!/bin/sh\nPATH='" + os.Getenv("PATH") + "'\nif [ \"$1\" = iam ]; then export AWS_DEFAULT_REGION=us-east-1; fi\nexec '" + path + "' \"$@\"\n"
		aws := filepath.Join(dir, "aws")
		must(t, os.Remove(aws))
		must(t, os.WriteFile(aws, []byte(script), 0o755))
	}
	return dir
}

// paste runs a line as a user's shell does, without this process's environment. A region from it
// would hide a missing option.
func (c *cluster) paste(ctx context.Context, line string) error {
	cmd := exec.CommandContext(ctx, "sh", "-c", line)
	cmd.Env = append(c.access(follower), "PATH="+c.tools, "GORACE=atexit_sleep_ms=0") // otherwise each command takes an extra second
	out, err := cmd.CombinedOutput()
	if err != nil {
		return fmt.Errorf("%s: %w: %s", line, err, strings.TrimSpace(string(out)))
	}
	return nil
}

// access returns the environment in which a role reaches this cluster and its AWS, and nothing
// else.
func (c *cluster) access(role string) []string {
	id, secret, token := c.Credentials(role)
	return []string{
		"KUBECONFIG=" + c.kubeconfig, "HOME=" + c.home, "AWS_ENDPOINT_URL=" + c.url + "/as/" + role + "/",
		"AWS_ACCESS_KEY_ID=" + id, "AWS_SECRET_ACCESS_KEY=" + secret, "AWS_SESSION_TOKEN=" + token,
		"AWS_CONFIG_FILE=" + os.DevNull, "AWS_SHARED_CREDENTIALS_FILE=" + os.DevNull,
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
