package clusterfile

import (
	"strings"
	"testing"

	"github.com/awsmigrate/awsmigrate/internal/testing/faulty"
	"github.com/awsmigrate/awsmigrate/pkg/fault"
)

func TestParse_beyondTheLimits_isRefused(t *testing.T) {
	for name, text := range map[string]string{
		"hosts":   "nodes: [" + strings.Repeat("{},", 10*maxValues) + "]\n",
		"aliases": "a: &a [" + strings.Repeat("x,", 999) + "x]\nb: &b [" + strings.Repeat("*a,", 999) + "*a]\nc: [" + strings.Repeat("*b,", 9) + "*b]\n",
	} {
		t.Run(name, func(t *testing.T) {
			var err error
			used := faulty.Allocated(func() { _, err = Parse("cluster.yml", []byte(text)) })
			t.Logf("%d MB: %v", used>>20, err)
			faulty.WantClass(t, err, fault.Usage, "cluster.yml", "has more than 131072 values")
			if used > 32<<20 {
				t.Errorf("%d MB were allocated", used>>20)
			}
		})
	}
}

// The largest genuine file is accepted: 250 hosts, and 9,000 lines of arguments and binds.
func TestParse_largeFile_isRead(t *testing.T) {
	host := "- address: 10.0.0.1\n  user: ec2-user\n  role: [worker]\n  labels: {a: b, c: d}\n"
	text := "nodes:\n" + strings.Repeat(host, 250) + "services:\n  kubelet:\n    extra_binds:\n" + strings.Repeat("    - /a:/b:ro\n", 9000)
	var err error
	used := faulty.Allocated(func() { _, err = Parse("cluster.yml", []byte(text)) })
	t.Logf("%d MB", used>>20)
	if err != nil || used > 128<<20 {
		t.Errorf("%d MB, %v", used>>20, err)
	}
}

func TestReadFile_endlessFile_isRefused(t *testing.T) {
	if _, err := (Disk{}).ReadFile("/dev/zero"); err == nil {
		t.Error("read")
	}
}
