package host

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// loader gives images to hosts.
type loader struct {
	files map[string]image // by file
}

// buildImages writes the images of the hosts to the lab's folder.
func (h *Hosts) buildImages(ctx context.Context) (loader, error) {
	l := loader{files: map[string]image{}}
	dir := filepath.Join(h.Dir, imageDir)
	all, err := h.allImages(ctx)
	if err != nil {
		return l, err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return l, err
	}
	for i, one := range all {
		file := filepath.Join(dir, fmt.Sprintf("%d.tar", i))
		if err := one.write(file); err != nil {
			return l, err
		}
		l.files[file] = one
	}
	return l, nil
}

// load gives the images to a host.
func (l loader) load(ctx context.Context, r *Running) error {
	for file, one := range l.files {
		if !r.machine.RKE2 {
			if err := loadDocker(ctx, r.process.Pid(), file); err != nil {
				return fmt.Errorf("load image %s into Docker: %w", one.name, err)
			}
		}
		if !one.pods {
			continue
		}
		if err := r.ctr(ctx, "--namespace", "k8s.io", "images", "import", file); err != nil {
			return fmt.Errorf("load image %s into containerd: %w", one.name, err)
		}
	}
	return nil
}

// ctr runs containerd's own client.
func (r *Running) ctr(ctx context.Context, args ...string) error {
	args = append([]string{"--address", within(r.process.Pid(), r.machine.socket())}, args...)
	if out, err := exec.CommandContext(ctx, "ctr", args...).CombinedOutput(); err != nil {
		return fmt.Errorf("%w: %s", err, strings.TrimSpace(string(out)))
	}
	return nil
}

// within returns the path by which a file of a host is reached from outside.
func within(pid int, path string) string { return fmt.Sprintf("/proc/%d/root%s", pid, path) }

// dockerClient connects to a host's Docker.
func dockerClient(pid int) *http.Client {
	var dialer net.Dialer
	return &http.Client{Transport: &http.Transport{
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return dialer.DialContext(ctx, "unix", within(pid, dockerSocket))
		},
		DisableKeepAlives: true,
	}}
}

// pingDocker returns an error unless Docker answers.
func pingDocker(ctx context.Context, pid int) error {
	return askDocker(ctx, pid, http.MethodGet, "/_ping", nil)
}

func loadDocker(ctx context.Context, pid int, file string) error {
	in, err := os.Open(file)
	if err != nil {
		return err
	}
	defer in.Close()
	return askDocker(ctx, pid, http.MethodPost, "/images/load?quiet=1", in)
}

// maxAnswer bounds Docker's answers.
const maxAnswer = 1 << 20

func askDocker(ctx context.Context, pid int, method, path string, body io.Reader) error {
	request, err := http.NewRequestWithContext(ctx, method, "http://docker"+path, body)
	if err != nil {
		return err
	}
	if body != nil {
		request.Header.Set("Content-Type", "application/x-tar")
	}
	answer, err := dockerClient(pid).Do(request)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	raw, err := io.ReadAll(io.LimitReader(answer.Body, maxAnswer))
	if err != nil {
		return err
	}
	var message struct {
		Error string `json:"error"`
	}
	if json.Unmarshal(raw, &message) == nil && message.Error != "" { // a load fails with status 200
		return errors.New(message.Error)
	}
	if answer.StatusCode != http.StatusOK {
		return fmt.Errorf("status %s: %s", answer.Status, strings.TrimSpace(string(raw)))
	}
	return nil
}
