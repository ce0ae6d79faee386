package node

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"time"

	"sigs.k8s.io/yaml"
)

const etcdConfigFile = etcdDir + "/config"

// writeEtcdConfig writes the member's configuration at its first start. A server that joins adds
// itself to the members first. RKE2 adds it as a learner and promotes it; here it votes at once.
// Source: k3s-io/k3s:pkg/etcd/etcd.go and pkg/daemons/executor/executor.go, release 1.26.
func (a *Agent) writeEtcdConfig(ctx context.Context, c RKE2Config) error {
	if a.fs.exists(etcdConfigFile) {
		return nil
	}
	name := a.etcdName()
	peer := "https://" + a.c.PrivateIP + ":2380"
	cluster, state := name+"="+peer, "new"
	if server := c.String("server"); server != "" {
		members, err := a.joinEtcd(ctx, "https://"+addressOf(server)+":2379", peer)
		if err != nil {
			return err
		}
		cluster, state = initialCluster(members, name), "existing"
	}
	trust := func(of string) map[string]any {
		return map[string]any{
			"cert-file": tlsFile("etcd/" + of + ".crt"), "key-file": tlsFile("etcd/" + of + ".key"), "client-cert-auth": true,
			"trusted-ca-file": tlsFile("etcd/server-ca.crt"),
		}
	}
	raw, err := yaml.Marshal(map[string]any{
		"name": name, "data-dir": etcdDir, "logger": "zap", "log-outputs": []string{"stderr"}, "snapshot-count": 10000,
		"heartbeat-interval": 500, "election-timeout": 5000,
		"listen-client-urls": "https://127.0.0.1:2379,https://" + a.c.PrivateIP + ":2379", "advertise-client-urls": "https://" + a.c.PrivateIP + ":2379",
		"listen-peer-urls": "https://127.0.0.1:2380," + peer, "initial-advertise-peer-urls": peer, "listen-metrics-urls": "http://127.0.0.1:2381",
		"initial-cluster": cluster, "initial-cluster-state": state,
		"client-transport-security": trust("server-client"), "peer-transport-security": trust("peer-server-client"),
	})
	if err != nil {
		return err
	}
	return a.fs.write(etcdConfigFile, raw)
}

type etcdMember struct {
	Name     string   `json:"name"` // empty until it has started
	PeerURLs []string `json:"peerURLs"`
}

// initialCluster lists all members; own is the name of the one that has none yet.
func initialCluster(members []etcdMember, own string) string {
	var out []string
	for _, m := range members {
		name := orDefault(m.Name, own)
		for _, url := range m.PeerURLs {
			out = append(out, name+"="+url)
		}
	}
	return strings.Join(out, ",")
}

// etcdTimeout and maxEtcdAnswer bound a call to another member and its answer.
const (
	etcdTimeout   = 10 * time.Second
	maxEtcdAnswer = 1 << 20
)

// joinEtcd adds this machine to the members at the address, and returns all of them.
func (a *Agent) joinEtcd(ctx context.Context, address, peer string) ([]etcdMember, error) {
	pair, err := a.etcdClient()
	if err != nil {
		return nil, err
	}
	cert, err := tls.X509KeyPair(pair.Cert, pair.Key)
	if err != nil {
		return nil, err
	}
	client := &http.Client{Timeout: etcdTimeout, Transport: &http.Transport{
		DialContext: a.c.Real.Dial, DisableKeepAlives: true,
		TLSClientConfig: &tls.Config{Certificates: []tls.Certificate{cert}, InsecureSkipVerify: true},
	}}
	members, err := etcdCall(ctx, client, address+"/v3/cluster/member/list", map[string]any{})
	if err != nil {
		return nil, err
	}
	for _, m := range members {
		switch {
		case m.Name != "":
		case slices.Contains(m.PeerURLs, peer):
			return members, nil // added by an earlier attempt
		default:
			return nil, fmt.Errorf("etcd: another member joins now, with %s", m.PeerURLs)
		}
	}
	return etcdCall(ctx, client, address+"/v3/cluster/member/add", map[string]any{"peerURLs": []string{peer}})
}

// etcdCall calls etcd's gateway and returns the members in its answer.
func etcdCall(ctx context.Context, client *http.Client, url string, body map[string]any) ([]etcdMember, error) {
	raw, err := json.Marshal(body)
	if err != nil {
		return nil, err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(raw))
	if err != nil {
		return nil, err
	}
	answer, err := client.Do(request)
	if err != nil {
		return nil, err
	}
	defer answer.Body.Close()
	if raw, err = io.ReadAll(io.LimitReader(answer.Body, maxEtcdAnswer)); err != nil {
		return nil, err
	}
	if answer.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("%s: status %d: %s", url, answer.StatusCode, raw)
	}
	var got struct {
		Members []etcdMember `json:"members"`
	}
	err = json.Unmarshal(raw, &got)
	return got.Members, err
}

// addressOf returns the host of a URL like https://10.0.0.4:9345.
func addressOf(url string) string {
	_, rest, _ := strings.Cut(url, "://")
	host, _, err := net.SplitHostPort(rest)
	if err != nil {
		return rest
	}
	return host
}
