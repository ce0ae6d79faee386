package node

import (
	"context"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// The versions of rke-tools from which its entrypoint gives a kubelet a name, and
// from which it asks IMDSv2 for it (rancher/rke-tools:entrypoint.sh@v0.1.95,
// @v0.1.102).
const (
	toolsNameKubelet = 95
	toolsAskIMDSv2   = 102
)

// hostMetadata answers the requests of the entrypoint.
type hostMetadata struct {
	v1, v2 func() string // body of /latest/meta-data/hostname, whatever its status
	fqdn   string        // hostname -f
}

// toolsArguments returns a kubelet's arguments after the entrypoint of rke-tools v0.1.<patch>.
// If they lack --hostname-override, it appends one, from the metadata service or else from
// `hostname -f`. The shell splits the answer into words, and curl without -f takes an error
// page for an answer.
func toolsArguments(patch int, args []string, m hostMetadata) []string {
	if patch < toolsNameKubelet {
		return args
	}
	if strings.Contains(strings.Join(args, " "), "hostname-override") {
		return args
	}
	ask := m.v1
	if patch >= toolsAskIMDSv2 {
		ask = m.v2
	}
	name := strings.TrimRight(ask(), "\n")
	if name == "" {
		name = m.fqdn
	}
	return append(append([]string{}, args...), strings.Fields("--hostname-override="+name)...)
}

// tools returns the patch number of the rke-tools whose entrypoint the machine's containers
// use, from service-sidekick.
func (d *dockerd) tools() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	sidekick := d.containers["service-sidekick"]
	if sidekick == nil {
		return 0
	}
	_, tag, _ := strings.Cut(sidekick.Image, ":")
	patch, _ := strconv.Atoi(strings.TrimPrefix(tag, "v0.1.")) // a tag of another form is an old one
	return patch
}

const hostnamePath = "/latest/meta-data/hostname"

func (d *dockerd) metadata(ctx context.Context) hostMetadata {
	url := d.a.c.IMDSURL
	return hostMetadata{
		fqdn: d.a.c.HostnameFQDN,
		v1:   func() string { return curl(ctx, http.MethodGet, url+hostnamePath, nil) },
		v2: func() string {
			token := curl(ctx, http.MethodPut, url+"/latest/api/token", map[string]string{"X-aws-ec2-metadata-token-ttl-seconds": "60"})
			return curl(ctx, http.MethodGet, url+hostnamePath, map[string]string{"X-aws-ec2-metadata-token": token})
		},
	}
}

// curl returns the body regardless of the status, or empty if no server answers.
func curl(ctx context.Context, method, url string, headers map[string]string) string {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, method, url, nil)
	if err != nil {
		return ""
	}
	for name, value := range headers {
		req.Header.Set(name, value)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return ""
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		return ""
	}
	return string(body)
}
