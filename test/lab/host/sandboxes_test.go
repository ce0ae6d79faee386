package host

import (
	"context"
	"maps"
	"net"
	"path/filepath"
	"slices"
	"testing"

	"google.golang.org/grpc"
	cri "k8s.io/cri-api/pkg/apis/runtime/v1"
)

// sandboxes is a container runtime that only lists and removes sandboxes.
type sandboxes struct {
	cri.UnimplementedRuntimeServiceServer
	uids map[string]string // by sandbox
	gone []string
	last map[string]string // labels of the last list
}

func (s *sandboxes) ListPodSandbox(_ context.Context, r *cri.ListPodSandboxRequest) (*cri.ListPodSandboxResponse, error) {
	s.last = r.Filter.LabelSelector
	var out cri.ListPodSandboxResponse
	for _, id := range slices.Sorted(maps.Keys(s.uids)) {
		out.Items = append(out.Items, &cri.PodSandbox{Id: id, Labels: map[string]string{"io.kubernetes.pod.uid": s.uids[id]}})
	}
	return &out, nil
}

func (s *sandboxes) RemovePodSandbox(_ context.Context, r *cri.RemovePodSandboxRequest) (*cri.RemovePodSandboxResponse, error) {
	s.gone = append(s.gone, r.PodSandboxId)
	return &cri.RemovePodSandboxResponse{}, nil
}

// Only sandboxes of other UIDs are removed.
func TestRemoveSandboxes(t *testing.T) {
	runtime := &sandboxes{uids: map[string]string{"a": "old", "b": "now", "c": "older"}}
	socket := filepath.Join(t.TempDir(), "runtime.sock")
	listener, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	server := grpc.NewServer()
	cri.RegisterRuntimeServiceServer(server, runtime)
	go func() { _ = server.Serve(listener) }() // ends with Stop
	defer server.Stop()
	removed, err := removeSandboxes(t.Context(), socket, "kube-apiserver", "now")
	if err != nil || removed != 2 || !slices.Equal(runtime.gone, []string{"a", "c"}) {
		t.Errorf("removed %d, %q, %v; wanted a and c", removed, runtime.gone, err)
	}
	if runtime.last["component"] != "kube-apiserver" || runtime.last["io.kubernetes.pod.namespace"] != "kube-system" {
		t.Errorf("listed by %v", runtime.last)
	}
}
