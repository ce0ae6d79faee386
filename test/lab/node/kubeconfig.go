package node

import (
	"encoding/base64"
	"fmt"
	"net"
)

func certKubeconfig(server string, ca, cert, key []byte) []byte {
	b64 := base64.StdEncoding.EncodeToString
	return kubeconfigText(server, ca, fmt.Sprintf("{client-certificate-data: %s, client-key-data: %s}", b64(cert), b64(key)))
}

// tokenKubeconfig names the token's file, so that a rotated token is read again.
func tokenKubeconfig(server string, ca []byte, tokenFile string) []byte {
	return kubeconfigText(server, ca, fmt.Sprintf("{tokenFile: %q}", tokenFile))
}

func kubeconfigText(server string, ca []byte, user string) []byte {
	return []byte(fmt.Sprintf(`apiVersion: v1
kind: Config
clusters:
- name: local
  cluster: {server: %q, certificate-authority-data: %s}
users:
- name: user
  user: %s
contexts:
- name: default
  context: {cluster: local, user: user}
current-context: default
`, server, base64.StdEncoding.EncodeToString(ca), user))
}

func hostOf(address string) string {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return ""
	}
	return host
}
