package cli

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/awsmigrate/awsmigrate/internal/testing/golden"
)

// stoppedRKE has a stop at 1.27, one at 1.29 and an image that stops every upgrade.
const stoppedRKE = soundRKE + `cloud_provider: {name: aws}
system_images: {kubernetes: rancher/hyperkube:v1.26.9-rancher1}
services:
  kube-api:
    extra_args: {feature-gates: DisableKubeletCloudCredentialProviders=false}
  kubelet:
    extra_args: {container-runtime: remote}
`

func TestGoldenUpgradePath(t *testing.T) {
	for name, args := range map[string][]string{
		"upgrade-path.txt.golden":  {},
		"upgrade-path.json.golden": {"-o", "json", "--to", "v1.29"},
	} {
		printed := ""
		t.Run(name, func(t *testing.T) { // in a folder of its own
			code, out, errs, left := command(t, map[string]string{"cluster.yml": stoppedRKE}, append([]string{"upgrade-path", "--config", "cluster.yml"}, args...)...)
			if code != 0 || errs != "" || len(left) != 1 {
				t.Errorf("exit %d, left %q\n%s", code, left, errs)
			}
			printed = out
		})
		golden.Require(t, name, printed)
	}
}

func TestUpgradePath_file_exitCode(t *testing.T) {
	migrated := strings.Replace(soundRKE, "v1.26.9-rancher1-1", "v1.28.14-rancher1-1", 1) + "cloud_provider: {name: external-aws, useInstanceMetadataHostname: true}\n"
	for name, tt := range map[string]struct {
		file string
		args []string
		code int
		says string
	}{
		"stops":              {stoppedRKE, []string{"--detailed-exitcode"}, 3, "the migration comes first"},
		"stops, without":     {stoppedRKE, nil, 0, "4 stops"},
		"up to a version":    {stoppedRKE, []string{"--to", "v1.27"}, 0, "1 step · 3 stops"},
		"in-tree":            {soundRKE + "cloud_provider: {name: aws}\n", []string{"--detailed-exitcode"}, 3, "rke plan --config cluster.yml"},
		"steps left":         {migrated, []string{"--detailed-exitcode"}, 5, "RKE ends at Kubernetes 1.32"},
		"at the target":      {migrated, []string{"--detailed-exitcode", "--to", "v1.28"}, 0, "nothing to upgrade"},
		"after the end":      {migrated, []string{"--to", "v1.36"}, 0, "v1.28.14-rancher1-1 → v1.32"},
		"only the cluster":   {migrated, nil, 0, "only the cluster shows it: AWSM-501, AWSM-503, AWSM-607"},
		"an older target":    {migrated, []string{"--to", "v1.27"}, 2, "older than the cluster"},
		"no version to take": {migrated, []string{"--to", "latest"}, 2, "invalid value \"latest\""},
		"no version there":   {"nodes: []\n", nil, 3, "Kubernetes of cluster.yml"},
		"no file":            {migrated, []string{"--config", "other.yml"}, 2, "other.yml"},
		"both":               {migrated, []string{"--cluster", "demo"}, 2, "--cluster and --config"},
	} {
		t.Run(name, func(t *testing.T) {
			code, out, errs, left := command(t, map[string]string{"cluster.yml": tt.file}, append([]string{"upgrade-path", "--config", "cluster.yml"}, tt.args...)...)
			if flat := strings.Join(strings.Fields(out+errs), " "); code != tt.code || !strings.Contains(flat, tt.says) || len(left) != 1 {
				t.Errorf("exit %d, wanted %d and %q, left %q:\n%s%s", code, tt.code, tt.says, left, out, errs)
			}
		})
	}
	if code, _, errs, _ := command(t, nil, "upgrade-path"); code != 2 || !strings.Contains(errs, "--cluster NAME or --config cluster.yml") {
		t.Errorf("no cluster: exit %d, %s", code, errs)
	}
}

func TestUpgradePath_document_codeOfDetailed(t *testing.T) {
	code, out, errs, _ := command(t, map[string]string{"cluster.yml": stoppedRKE}, "upgrade-path", "--config", "cluster.yml", "-o", "json", "--detailed-exitcode")
	doc := struct {
		Code      int            `json:"code"`
		Counts    map[string]int `json:"counts"`
		Undecided []string       `json:"undecided"`
	}{}
	if err := json.Unmarshal([]byte(out), &doc); err != nil || code != 3 || doc.Code != 3 || doc.Counts["fail"] != 4 || len(doc.Undecided) != 3 {
		t.Errorf("exit %d, %v, %+v\n%s", code, err, doc, errs)
	}
}
