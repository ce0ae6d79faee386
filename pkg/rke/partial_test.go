package rke

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/verify"
	"github.com/awsmigrate/awsmigrate/pkg/verify/position"
)

// Without rke's state, checks of the file pass or fail, and checks of the state are unknown.
func TestPartial(t *testing.T) {
	path := filepath.Join(t.TempDir(), "cluster.yml")
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	binary := filepath.Join(t.TempDir(), "none")
	judged := func() map[string]verify.Status {
		t.Helper()
		bound, err := Partial(t.Context(), Options{Config: path, RKEBinary: binary}, errors.New("forbidden"))
		if err != nil {
			t.Fatal(err)
		}
		report := verify.RunAll(t.Context(), bound, verify.Options{Position: position.Unknown, PositionUnknown: true})
		all := map[string]verify.Status{}
		for _, res := range report.Results {
			all[res.ID] = res.Status
		}
		return all
	}
	const file = "nodes:\n- {address: 1.2.3.4, user: u, role: [controlplane, etcd, worker]}\nkubernetes_version: v1.26.9-rancher1-1\ncloud_provider: {name: aws}\n"
	write(file)
	for id, want := range map[string]verify.Status{"AWSM-721": verify.OK, "AWSM-751": verify.OK, "AWSM-103": verify.Unknown, "AWSM-727": verify.Unknown,
		"AWSM-116": verify.Unknown, "AWSM-742": verify.Unknown, "AWSM-113": verify.Unknown, "AWSM-702": verify.Unknown} {
		if got := judged()[id]; got != want {
			t.Errorf("%s is %s, want %s", id, got, want)
		}
	}
	bound, err := Partial(t.Context(), Options{Config: path, RKEBinary: filepath.Join(t.TempDir(), "none")}, errors.New("forbidden"))
	if err != nil {
		t.Fatal(err)
	}
	for _, res := range verify.RunAll(t.Context(), bound, verify.Options{Position: position.Unknown, PositionUnknown: true}).Results {
		if strings.Contains(res.Reason, "no Node was read") {
			t.Errorf("%s blames the Nodes, which were read: %s", res.ID, res.Reason)
		}
	}
	binary = script(t, "echo rke version v1.5.9\n")
	if got := judged()["AWSM-742"]; got != verify.OK {
		t.Errorf("rke with a known version: AWSM-742 is %s", got)
	}
	write(file + "services: {kubelet: {extra_args: {cloud-provider: aws}}}\n")
	if got := judged()["AWSM-751"]; got != verify.Fail {
		t.Errorf("an argument that beats cloud_provider: AWSM-751 is %s", got)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if _, err := Partial(t.Context(), Options{Config: path}, errors.New("forbidden")); fault.ClassOf(err) != fault.Usage {
		t.Errorf("no file: %v", err)
	}
}
