package host

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
)

// logSource is the log of a container, in the format of its runtime.
type logSource struct {
	id   string // of the container
	path string
	text func(line string) string // the line as the process wrote it
}

// containerID is the end of a container's cgroup.
var containerID = regexp.MustCompile(`(?m)/([0-9a-f]{64})$`)

// containerLog finds the log of the container of a process, on the host with the given first
// process.
func containerLog(host, pid int) (logSource, error) {
	raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/cgroup", pid))
	if err != nil {
		return logSource{}, err
	}
	found := containerID.FindStringSubmatch(string(raw))
	if found == nil {
		return logSource{}, fmt.Errorf("process %d is in no container: cgroups %q", pid, raw)
	}
	id := found[1]
	docker := within(host, filepath.Join("/var/lib/docker/containers", id, id+"-json.log"))
	if _, err := os.Stat(docker); err == nil {
		return logSource{id: id, path: docker, text: dockerText}, nil
	}
	path, err := podLog(host, id)
	return logSource{id: id, path: path, text: podText}, err
}

// podLog returns the log of a pod's container. The runtime keeps the names in the container's
// annotations (containerd/containerd:pkg/cri/annotations/annotations.go@v1.6.20).
func podLog(host int, id string) (string, error) {
	raw, err := os.ReadFile(within(host, filepath.Join("/run/containerd/io.containerd.runtime.v2.task/k8s.io", id, "config.json")))
	if err != nil {
		return "", err
	}
	var spec struct {
		Annotations map[string]string `json:"annotations"`
	}
	if err := json.Unmarshal(raw, &spec); err != nil {
		return "", err
	}
	name := func(of string) string { return spec.Annotations["io.kubernetes.cri."+of] }
	pattern := within(host, fmt.Sprintf("/var/log/pods/%s_%s_%s/%s/*.log", name("sandbox-namespace"), name("sandbox-name"), name("sandbox-uid"), name("container-name")))
	files, err := filepath.Glob(pattern)
	if err != nil || len(files) == 0 {
		return "", fmt.Errorf("no log matches %s: %w", pattern, err)
	}
	return slices.MaxFunc(files, func(a, b string) int { // 0.log, 1.log, … 10.log
		if d := len(a) - len(b); d != 0 {
			return d
		}
		return strings.Compare(a, b)
	}), nil
}

// dockerText returns the text of a line of Docker's json-file log.
func dockerText(line string) string {
	var entry struct {
		Log string `json:"log"`
	}
	if json.Unmarshal([]byte(line), &entry) != nil {
		return ""
	}
	return strings.TrimSuffix(entry.Log, "\n") + "\n"
}

// podText returns the text of "TIME STREAM TAG text"
// (kubernetes/design-proposals-archive:node/kubelet-cri-logging.md).
func podText(line string) string {
	parts := strings.SplitN(line, " ", 4)
	if len(parts) < 4 {
		return ""
	}
	return parts[3]
}

// copyPeriod is the interval between two reads of new lines.
const copyPeriod = 100 * time.Millisecond

// copyTo appends the log's lines to a file until ctx ends.
func (s logSource) copyTo(ctx context.Context, to string, log *slog.Logger) {
	if err := s.copyLines(ctx, to); err != nil {
		log.Error("copying a log", "from", s.path, "to", to, "error", err)
	}
}

func (s logSource) copyLines(ctx context.Context, to string) (err error) {
	from, err := os.Open(s.path)
	if err != nil {
		return err
	}
	defer from.Close()
	out, err := os.OpenFile(to, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, out.Close()) }()
	tick := time.NewTicker(copyPeriod)
	defer tick.Stop()
	in, part := bufio.NewReader(from), ""
	for {
		line, err := in.ReadString('\n')
		part += line
		if err == nil {
			if _, err := io.WriteString(out, s.text(part)); err != nil {
				return err
			}
			part = ""
			continue
		}
		if !errors.Is(err, io.EOF) {
			return err
		}
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
	}
}
