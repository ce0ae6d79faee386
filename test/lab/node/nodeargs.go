package node

import (
	"crypto/sha256"
	"encoding/base32"
	"encoding/json"
	"strings"
)

const (
	nodeArgsAnnotation       = "rke2.io/node-args"
	nodeEnvAnnotation        = "rke2.io/node-env"
	nodeConfigHashAnnotation = "rke2.io/node-config-hash"
	hostnameAnnotation       = "rke2.io/hostname"
	internalIPAnnotation     = "rke2.io/internal-ip"

	masked = "********"
)

// nodeConfigAnnotations returns the annotations that k3s writes to the Node at each start
// (k3s-io/k3s:pkg/nodeconfig): its arguments one word each, with secrets masked, its
// environment, and a hash of both.
func nodeConfigAnnotations(c RKE2Config, server bool) map[string]string {
	command := "agent"
	if server {
		command = "server"
	}
	words := []string{command}
	for _, argument := range c.Arguments() {
		flag, value, _ := strings.Cut(argument, "=")
		if isSecret(flag) {
			value = masked
		}
		words = append(words, flag, value)
	}
	args := compactJSON(words)
	const env = "{}" // Rancher's service units set no RKE2_ variable
	sum := sha256.Sum256([]byte(args + env))
	return map[string]string{
		nodeArgsAnnotation:       args,
		nodeEnvAnnotation:        env,
		nodeConfigHashAnnotation: base32.StdEncoding.EncodeToString(sum[:]),
	}
}

func compactJSON(words []string) string {
	raw, err := json.Marshal(words)
	if err != nil {
		panic(err) // a list of strings always encodes
	}
	return string(raw)
}

func isSecret(flag string) bool {
	switch flag {
	case "--token", "-t", "--agent-token", "--datastore-endpoint", "--cluster-secret",
		"--etcd-s3-access-key", "--etcd-s3-secret-key":
		return true
	}
	return false
}
