package lease

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
)

// Rancher may be asked to keep host names within a length between these
// (rancher/rancher:pkg/capr/common.go, Minimum- and MaximumHostnameLengthLimit).
const (
	shortestCut = 10
	longestHost = 63
)

// NamedBy says whether a host name, with its domain or without, is the one that Rancher
// gives to the machine that it makes for an infrastructure object: that object's name,
// with a hyphen for each dot, and cut where it is too long
// (rancher/rancher:pkg/controllers/capr/machineprovision/args.go, getHostname). It is not
// the Machine's name: Cluster API gives both the same only from v1.7 on
// (kubernetes-sigs/cluster-api#9833), and Rancher 2.8 has v1.5.
func NamedBy(host, infrastructure string) bool {
	host, _, _ = strings.Cut(host, ".")
	name := strings.ReplaceAll(infrastructure, ".", "-")
	switch {
	case host == "" || len(host) > len(name):
		return false
	case len(name) <= longestHost && host == name:
		return true
	}
	return len(host) >= shortestCut && len(host) <= longestHost && len(host) < len(name) && host == cutTo(name, len(host))
}

// cutTo is a name cut to a length, with what tells it from others that begin alike
// (rancher/rancher:pkg/capr/common.go, SafeConcatName).
func cutTo(name string, length int) string {
	sum := sha256.Sum256([]byte(name))
	digest := hex.EncodeToString(sum[:])
	if last := name[length-7]; 'a' <= last && last <= 'z' || '0' <= last && last <= '9' {
		return name[:length-6] + "-" + digest[:5]
	}
	return name[:length-7] + "-" + digest[:6]
}
