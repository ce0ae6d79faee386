package host

import (
	"context"
	"errors"
	"fmt"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	cri "k8s.io/cri-api/pkg/apis/runtime/v1"
)

// RemoveSandboxes removes the pod sandboxes of a static pod's component, except those of the pod
// with the UID, and returns how many there were.
func (r *Running) RemoveSandboxes(ctx context.Context, component, uid string) (int, error) {
	removed, err := removeSandboxes(ctx, within(r.process.Pid(), r.machine.socket()), component, uid)
	if err != nil {
		return 0, fmt.Errorf("host %s: sandboxes of %s: %w", r.machine.Name, component, err)
	}
	return removed, nil
}

func removeSandboxes(ctx context.Context, socket, component, uid string) (removed int, err error) {
	conn, err := grpc.NewClient("unix://"+socket, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		return 0, err
	}
	defer conn.Close()
	runtime := cri.NewRuntimeServiceClient(conn)
	listed, err := runtime.ListPodSandbox(ctx, &cri.ListPodSandboxRequest{Filter: &cri.PodSandboxFilter{
		LabelSelector: map[string]string{"component": component, "tier": "control-plane", "io.kubernetes.pod.namespace": "kube-system"},
	}})
	if err != nil {
		return 0, err
	}
	var failed []error
	for _, sandbox := range listed.Items {
		if sandbox.Labels["io.kubernetes.pod.uid"] == uid {
			continue
		}
		removed++
		_, err := runtime.RemovePodSandbox(ctx, &cri.RemovePodSandboxRequest{PodSandboxId: sandbox.Id})
		failed = append(failed, err)
	}
	return removed, errors.Join(failed...)
}
