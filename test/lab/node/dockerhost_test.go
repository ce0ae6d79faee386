package node

import (
	"errors"
	"strings"
	"testing"
)

func TestKubeletHealth(t *testing.T) {
	failed, healthy := &kubelet{}, &kubelet{}
	failed.fail(errors.New("could not init cloud provider"))
	healthy.healthy.Store(true)
	for name, tt := range map[string]struct {
		kubelet *kubelet
		says    string // empty: healthy
	}{"none": {nil, "EOF"}, "starting": {&kubelet{}, "EOF"}, "failed": {failed, "the kubelet exited: could not init cloud provider"}, "serving": {healthy, ""}} {
		err := kubeletHealth(tt.kubelet)
		if (err == nil) != (tt.says == "") || err != nil && !strings.HasSuffix(err.Error(), tt.says) {
			t.Errorf("%s: %v, want %q", name, err, tt.says)
		}
	}
}
