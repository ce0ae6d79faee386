package node

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"
)

// Name returns the result of rke2NodeName on a machine, with the answer of its metadata service.
func Name(ctx context.Context, c RKE2Config, f Facts, version string) string {
	return rke2NodeName(c, f, version, func() string { return metadataHostname(ctx, f.IMDSURL, version) })
}

// RegisteredName returns the name of the Node that a kubelet with these arguments registers.
func RegisteredName(ctx context.Context, args []string, f Facts, cloud Cloud) (string, error) {
	id, err := kubeletIdentity(ctx, args, f, cloud)
	return id.Name, err
}

// rke2NodeName returns RKE2's node-name, which becomes the kubelet's --hostname-override: the
// configured one; with cloud-provider-name aws the metadata service's local-hostname, or else
// `hostname -f`; otherwise the OS host name. Releases that drop the name aws prefer the metadata
// service's to a configured name. Source: rancher/rke2:pkg/rke2/rke2_linux.go@v1.26.15+rke2r1 and
// @v1.31.3+rke2r1; k3s lower-cases it.
func rke2NodeName(c RKE2Config, f Facts, version string, metadata func() string) string {
	byMetadata := c.String("cloud-provider-name") == inTreeProvider
	if name := c.String("node-name"); name != "" && (!byMetadata || !dropsInTree(version)) {
		return strings.ToLower(name)
	}
	if byMetadata {
		if name := metadata(); name != "" {
			return strings.ToLower(name)
		}
		return strings.ToLower(orDefault(f.HostnameFQDN, f.OSHostname))
	}
	return strings.ToLower(f.OSHostname)
}

// metadataTimeout bounds requests to the metadata service. RKE2 allows one second, which
// suffices for a real service. Here it shares a few cores with several clusters, and a name
// must not depend on their load.
const metadataTimeout = 30 * time.Second

// metadataHostname requests the name as RKE2 does: one IMDSv1 request, with a token first in
// releases that drop the name aws, and only status 200 counts.
func metadataHostname(ctx context.Context, imds, version string) string {
	ctx, cancel := context.WithTimeout(ctx, metadataTimeout)
	defer cancel()
	header := map[string]string{}
	if dropsInTree(version) {
		header["X-aws-ec2-metadata-token"] = metadata(ctx, http.MethodPut, imds+"/latest/api/token", map[string]string{"X-aws-ec2-metadata-token-ttl-seconds": "60"})
	}
	return metadata(ctx, http.MethodGet, imds+"/latest/meta-data/local-hostname", header)
}

// metadata returns the body of an answer with status 200, or "".
func metadata(ctx context.Context, method, url string, header map[string]string) string {
	req, err := http.NewRequestWithContext(ctx, method, url, nil)
	if err != nil {
		return ""
	}
	for name, value := range header {
		req.Header.Set(name, value)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return ""
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return ""
	}
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(body))
}

// identity holds the kubelet's name and role, from its arguments.
type identity struct {
	Provider string // "aws", "external" or ""
	Hostname string // --hostname-override, else the OS host name
	Name     string // of the Node
	NodeIP   string
	Instance Instance // only with the in-tree provider
}

// kubeletIdentity follows cmd/kubelet/app/server.go@v1.26.13 (getNodeName): with an in-tree
// provider the cloud names the Node, regardless of --hostname-override.
func kubeletIdentity(ctx context.Context, args []string, f Facts, cloud Cloud) (identity, error) {
	var id identity
	id.Provider, _ = lastFlag(args, "cloud-provider")
	id.NodeIP, _ = lastFlag(args, "node-ip")
	id.Hostname, _ = lastFlag(args, "hostname-override")
	if id.Hostname == "" {
		id.Hostname = strings.ToLower(strings.TrimSpace(f.OSHostname))
	}
	id.Name = id.Hostname
	switch id.Provider {
	case "", "external":
		return id, nil
	case "aws":
		instance, err := cloud.Self(ctx)
		if err != nil {
			return id, fmt.Errorf("failed to run Kubelet: could not init cloud provider \"aws\": %w", err)
		}
		if instance.PrivateDNSName == "" {
			return id, fmt.Errorf("failed to run Kubelet: error fetching current node name from cloud provider: instance %s has no private DNS name", instance.ID)
		}
		id.Instance, id.Name = instance, instance.PrivateDNSName
		return id, nil
	default:
		return id, fmt.Errorf("failed to run Kubelet: could not init cloud provider %q: unknown cloud provider", id.Provider)
	}
}
