package cluster

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"

	"github.com/awsmigrate/awsmigrate/test/lab/proc"
	"github.com/awsmigrate/awsmigrate/test/lab/rke"
)

// Client connects to the supervisor of a lab in another process.
type Client struct {
	Files  Files
	handle handle
}

// errNoLab means that no supervisor runs in the folder.
var errNoLab = errors.New("no lab runs there")

// Open finds the lab in the folder.
func Open(dir string) (*Client, error) {
	c := &Client{Files: Files{Dir: dir}}
	raw, err := os.ReadFile(c.Files.handle())
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("lab %s: %w", dir, errNoLab)
	}
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(raw, &c.handle); err != nil {
		return nil, fmt.Errorf("lab %s: its handle %s: %w", dir, c.Files.handle(), err)
	}
	if !proc.Alive(dir, c.handle.PID) {
		return nil, fmt.Errorf("lab %s: %w (its supervisor, pid %d, has ended; see %s)", dir, errNoLab, c.handle.PID, c.Files.serveLog())
	}
	return c, nil
}

// NoLab reports whether an error of Open means that no lab runs in the folder.
func NoLab(err error) bool { return errors.Is(err, errNoLab) }

// Status returns the lab's status.
func (c *Client) Status(ctx context.Context) (Status, error) {
	var s Status
	return s, c.call(ctx, http.MethodGet, "/status", nil, &s)
}

// Do sends an order, such as kill, instance or reset, and returns a description of the result.
func (c *Client) Do(ctx context.Context, what string, order Order) (string, error) {
	var answer string
	return answer, c.call(ctx, http.MethodPost, "/"+what, order, &answer)
}

func (c *Client) call(ctx context.Context, method, path string, body, into any) error {
	raw, err := json.Marshal(body)
	if err != nil {
		return err
	}
	request, err := http.NewRequestWithContext(ctx, method, "http://"+c.handle.Control()+path, bytes.NewReader(raw))
	if err != nil {
		return err
	}
	request.Header.Set("Authorization", "Bearer "+c.handle.Token)
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return fmt.Errorf("asking the lab's supervisor (pid %d): %w", c.handle.PID, err)
	}
	defer answer.Body.Close()
	content, err := io.ReadAll(answer.Body)
	if err != nil {
		return err
	}
	if answer.StatusCode != http.StatusOK {
		return errors.New(strings.TrimSpace(string(content)))
	}
	return json.Unmarshal(content, into)
}

// Env returns the variables for tools that use the lab. An administrator's credentials may
// change resources in AWS.
func (c *Client) Env(binaries string, administrator bool) []string {
	h, caller := c.handle, "awsmigrate"
	if administrator {
		caller, h.AWSKey, h.AWSSecret, h.AWSSession = "administrator", h.Administrator.ID, h.Administrator.Secret, h.Administrator.Session
	}
	kubeconfig := c.Files.Kubeconfig("rancher")
	if h.Distro == RKE {
		kubeconfig = rke.KubeconfigFile(c.Files.ClusterFile())
		binaries = filepath.Dir(c.Files.RKE()) + string(os.PathListSeparator) + binaries
	}
	return []string{
		"KUBECONFIG=" + kubeconfig,
		"AWS_ENDPOINT_URL=http://" + h.AWS() + "/as/" + caller,
		"AWS_ACCESS_KEY_ID=" + h.AWSKey,
		"AWS_SECRET_ACCESS_KEY=" + h.AWSSecret,
		"AWS_SESSION_TOKEN=" + h.AWSSession,
		"AWS_REGION=us-east-1",
		"AWS_EC2_METADATA_DISABLED=true",
		"PATH=" + binaries + string(os.PathListSeparator) + os.Getenv("PATH"),
	}
}

// Distro returns the distribution of the lab's cluster.
func (c *Client) Distro() Distro { return c.handle.Distro }

// PID returns the ID of the supervisor's process.
func (c *Client) PID() int { return c.handle.PID }
