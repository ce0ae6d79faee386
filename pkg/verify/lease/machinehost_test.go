package lease

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"testing"
)

func TestNamedBy(t *testing.T) {
	const long = "production-eu-central-1-control-plane-of-the-shop-8e21cf0a-x7k2p-and-more"
	sum := sha256.Sum256([]byte(long))
	digest := hex.EncodeToString(sum[:])
	const hyphen = "demo-cp-8e21-cf0a-x7k2p" // the seventh character from the cut is a hyphen
	short := sha256.Sum256([]byte(hyphen))
	for _, test := range []struct {
		name, host, infrastructure string
		want                       bool
	}{
		{"the same", "demo-cp-8e21cf0a-x7k2p", "demo-cp-8e21cf0a-x7k2p", true},
		{"with its domain", "demo-cp-8e21cf0a-x7k2p.corp.example", "demo-cp-8e21cf0a-x7k2p", true},
		{"dots become hyphens", "demo-v1-26-cp-x7k2p", "demo-v1.26-cp-x7k2p", true},
		{"another machine of the pool", "demo-cp-8e21cf0a-x7k2q", "demo-cp-8e21cf0a-x7k2p", false},
		{"cut at 63", long[:57] + "-" + digest[:5], long, true},
		{"cut at a limit of its pool", long[:9] + "-" + digest[:5], long, true},
		{"cut behind a hyphen", hyphen[:7] + "-" + hex.EncodeToString(short[:])[:6], hyphen, true},
		{"cut, and of another name", long[:57] + "-" + digest[1:6], long, false},
		{"cut shorter than Rancher does", long[:3] + "-" + digest[:5], long, false},
		{"too long, and whole", long, long, false},
		{"a beginning of it", "demo-cp-8e21", "demo-cp-8e21cf0a-x7k2p", false},
		{"no host name", "", "demo", false},
		{"no machine", "demo", "", false},
		{"a domain alone", ".corp.example", "", false},
	} {
		if got := NamedBy(test.host, test.infrastructure); got != test.want {
			t.Errorf("%s: host %q of %q: %v", test.name, test.host, test.infrastructure, got)
		}
	}
	for n := range 80 { // no length is out of bounds
		NamedBy(strings.Repeat("a", n), long)
	}
}
