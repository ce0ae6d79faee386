package lease

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
)

// Bounds of the host name length that Rancher accepts as a setting
// (rancher/rancher:pkg/capr/common.go, Minimum- and MaximumHostnameLengthLimit).
const (
	minHostLimit = 10
	maxHostLimit = 63
)

// NamedBy reports whether a host name, with or without its domain, is the one that Rancher
// gives to the machine of an infrastructure object. Rancher takes the object's name, replaces
// dots with hyphens, and shortens it if it is too long
// (rancher/rancher:pkg/controllers/capr/machineprovision/args.go, getHostname). The Machine's
// name can differ: Cluster API gives both the same name only from v1.7
// (kubernetes-sigs/cluster-api#9833), and Rancher 2.8 has v1.5.
func NamedBy(host, infrastructure string) bool {
	host, _, _ = strings.Cut(host, ".")
	name := strings.ReplaceAll(infrastructure, ".", "-")
	switch {
	case host == "" || len(host) > len(name):
		return false
	case len(name) <= maxHostLimit && host == name:
		return true
	}
	return len(host) >= minHostLimit && len(host) <= maxHostLimit && len(host) < len(name) && host == shorten(name, len(host))
}

// shorten cuts a name to a length and appends part of its digest, which keeps names with
// equal beginnings apart (rancher/rancher:pkg/capr/common.go, SafeConcatName).
func shorten(name string, length int) string {
	sum := sha256.Sum256([]byte(name))
	digest := hex.EncodeToString(sum[:])
	if last := name[length-7]; 'a' <= last && last <= 'z' || '0' <= last && last <= '9' {
		return name[:length-6] + "-" + digest[:5]
	}
	return name[:length-7] + "-" + digest[:6]
}
