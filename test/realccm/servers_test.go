//go:build realccm

package realccm_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"k8s.io/client-go/util/keyutil"

	"github.com/awsmigrate/awsmigrate/internal/testing/apiserver"
	"github.com/awsmigrate/awsmigrate/test/realccm"
)

// kube-apiserver starts with what RKE2 passes for each end state, outside of the releases that the
// upgrade avoids.
func TestServers_provider_startsOrRefused(t *testing.T) {
	for _, tt := range []struct{ server, provider, refusal string }{
		{"v1.29.10", "aws", "unknown --cloud-provider: aws"}, {"v1.29.10", "external", ""}, {"v1.29.10", "", ""},
		{"v1.31.2", "aws", "unknown --cloud-provider: aws"}, {"v1.31.2", "external", ""}, {"v1.31.2", "", ""},
		{"v1.36.3", "external", "unknown flag: --cloud-provider"}, {"v1.36.3", "", ""},
	} {
		t.Run(tt.server+" "+tt.provider, func(t *testing.T) {
			var args []string
			if tt.provider != "" {
				args = []string{"--cloud-provider=" + tt.provider}
			}
			program := "kube-apiserver-" + tt.server
			if tt.refusal == "" {
				apiserver.New(t, apiserver.Options{Program: program, Args: args})
				return
			}
			if said := exitOf(t, program, args); !strings.Contains(said, tt.refusal) {
				t.Errorf("said %q, wanted %q", said, tt.refusal)
			}
		})
	}
}

// exitOf returns the output of a kube-apiserver that ends at once.
func exitOf(t *testing.T, program string, args []string) string {
	t.Helper()
	key := filepath.Join(t.TempDir(), "sa.key")
	text, err := keyutil.MakeEllipticPrivateKeyPEM()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(key, text, 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	out, err := realccm.Output(ctx, program, append(args, "--advertise-address=127.0.0.2", "--etcd-servers=http://127.0.0.1:1", "--service-cluster-ip-range=10.43.0.0/16", "--cert-dir="+t.TempDir(),
		"--service-account-issuer=https://kubernetes.default.svc", "--service-account-signing-key-file="+key, "--service-account-key-file="+key)...)
	if err == nil || ctx.Err() != nil {
		t.Fatalf("it did not end: %v", err)
	}
	return out
}
