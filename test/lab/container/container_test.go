package container_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/awsmigrate/awsmigrate/test/lab/container"
)

// TestMain lets the test program become a container.
func TestMain(m *testing.M) {
	if len(os.Args) > 2 && os.Args[1] == container.Command {
		fmt.Fprintln(os.Stderr, container.Become(os.Args[2]))
		os.Exit(1)
	}
	os.Exit(m.Run())
}

const inside = "/usr/bin/looks"

// A container only sees its root, its mounts and its variables, has no rights, and cannot write
// anywhere.
func TestContainerSeesItsOwn(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("a container with a user of its own needs root")
	}
	self, err := os.Executable()
	must(t, err)
	dir := t.TempDir()
	root, secrets := filepath.Join(dir, "root"), filepath.Join(dir, "secrets")
	build := exec.CommandContext(t.Context(), "go", "build", "-o", filepath.Join(root, inside), "./testdata/looks")
	build.Env = append(os.Environ(), "CGO_ENABLED=0") // it finds no libraries in there
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	must(t, os.Mkdir(secrets, 0o755))
	must(t, os.WriteFile(filepath.Join(secrets, "token"), []byte("secret"), 0o444))
	spec := container.Spec{
		Root: root, ReadOnly: true, User: 65534, Group: 65534, Dir: "/", Args: []string{inside, "end"}, Env: []string{"LIMIT=1"},
		Mounts: []container.Mount{{Source: secrets, Target: "/var/run/secrets/kubernetes.io/serviceaccount", ReadOnly: true}},
	}
	file := filepath.Join(dir, "spec.json")
	must(t, spec.Write(file))
	cmd := exec.CommandContext(t.Context(), self, container.Command, file)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Run(); err != nil {
		t.Fatalf("%v\n%s", err, out.String())
	}
	want := `user 65534 group 65534
root [dev proc usr var]
limit 1 server  outside 
token true <nil>
write open /new: read-only file system
write open /var/run/secrets/kubernetes.io/serviceaccount/new: read-only file system
device <nil>
Groups
CapEff 0000000000000000
CapBnd 0000000000000000
NoNewPrivs 1
`
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Errorf("want (-), got (+):\n%s", diff)
	}
	if _, err := os.Stat(filepath.Join(root, "new")); err == nil {
		t.Error("the root was written to")
	}
}

// The error of an impossible container names the obstacle.
func TestRefusals(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("a container with a user of its own needs root")
	}
	dir, self := t.TempDir(), os.Args[0]
	spec := container.Spec{Root: dir, Dir: "/", Args: []string{"/none"}}
	outside := spec
	must(t, os.Symlink("/", filepath.Join(dir, "out")))
	outside.Mounts = []container.Mount{{Source: "/proc", Target: "/out/tmp"}}
	nowhere := spec
	nowhere.Mounts = []container.Mount{{Source: filepath.Join(dir, "absent"), Target: "/absent"}}
	for want, s := range map[string]container.Spec{
		"starting /none: no such file":                  spec,
		"/proc at /out/tmp: mkdirat out/tmp: path esca": outside,
		"absent at /absent: stat":                       nowhere,
	} {
		file := filepath.Join(t.TempDir(), "spec.json")
		must(t, s.Write(file))
		out, err := exec.CommandContext(t.Context(), self, container.Command, file).CombinedOutput()
		if err == nil || !strings.Contains(string(out), want) {
			t.Errorf("%v, %s; wanted %q", err, out, want)
		}
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
