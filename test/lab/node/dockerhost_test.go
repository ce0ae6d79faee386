package node

import (
	"errors"
	"strings"
	"testing"

	"github.com/awsmigrate/awsmigrate/test/lab/docker"
)

// kube-proxy is never healthy at the first question after a start, and after that it is.
func TestProxyHealth(t *testing.T) {
	d := &dockerd{containers: map[string]*dockerContainer{}}
	if err := d.proxyHealth(); !errors.Is(err, docker.ErrNotFound) {
		t.Errorf("without a container: %v", err)
	}
	d.containers[kubeProxy] = &dockerContainer{}
	if first, second := d.proxyHealth(), d.proxyHealth(); first == nil || second != nil {
		t.Errorf("first %v, second %v", first, second)
	}
}

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
