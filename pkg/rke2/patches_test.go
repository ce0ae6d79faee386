package rke2

import (
	"encoding/json"
	"testing"
)

// A version is any string that the Cluster object holds, and Go quotes some of them
// as JSON does not.
func TestUpgradePatchIsJSON(t *testing.T) {
	for _, now := range []string{"v1.26.13+rke2r1", "\a", "\x7f", "\U000e0001", `"`} {
		text, err := upgradePatch(now, "v1.27.16+rke2r1")
		var ops []struct{ Op, Path, Value string }
		if err != nil || json.Unmarshal(text, &ops) != nil || len(ops) != 2 ||
			ops[0].Op != "test" || ops[0].Path != "/spec/kubernetesVersion" || ops[0].Value != now ||
			ops[1].Op != "replace" || ops[1].Path != ops[0].Path || ops[1].Value != "v1.27.16+rke2r1" {
			t.Errorf("%q: %v: %s", now, err, text)
		}
	}
}

func TestSnapshotPatch(t *testing.T) {
	for now, want := range map[int64]string{
		0: `[{"op":"add","path":"/spec/rkeConfig/etcdSnapshotCreate","value":{"generation":1}}]`,
		3: `[{"op":"test","path":"/spec/rkeConfig/etcdSnapshotCreate/generation","value":3},{"op":"replace","path":"/spec/rkeConfig/etcdSnapshotCreate/generation","value":4}]`,
	} {
		if text, err := snapshotPatch(now, now+1); err != nil || string(text) != want {
			t.Errorf("from %d: %v: %s", now, err, text)
		}
	}
}
