package podstarter

import (
	"context"
	"fmt"
	"os"
	"time"

	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
)

// token is a token in a volume of a pod.
type token struct {
	path   string
	source *corev1.ServiceAccountTokenProjection
	due    time.Time // for another one in its place
}

// renew requests a token as the kubelet does: it is valid while the pod exists, and is replaced
// in its last fifth (kubernetes/kubernetes:pkg/kubelet/token/token_manager.go@v1.26.13,
// requiresRefresh). The file is replaced atomically.
func (p *pod) renew(ctx context.Context, t *token) error {
	request := &authenticationv1.TokenRequest{Spec: authenticationv1.TokenRequestSpec{
		ExpirationSeconds: t.source.ExpirationSeconds,
		BoundObjectRef:    &authenticationv1.BoundObjectReference{APIVersion: "v1", Kind: "Pod", Name: p.spec.Name, UID: p.spec.UID},
	}}
	if p.s.TokenLifetime > 0 {
		request.Spec.ExpirationSeconds = ptr.To(int64(p.s.TokenLifetime / time.Second))
	}
	if t.source.Audience != "" {
		request.Spec.Audiences = []string{t.source.Audience}
	}
	asked := time.Now()
	got, err := p.s.client.CoreV1().ServiceAccounts(p.spec.Namespace).CreateToken(ctx, p.spec.Spec.ServiceAccountName, request, metav1.CreateOptions{})
	if err != nil {
		return fmt.Errorf("token of service account %s: %w", p.spec.Spec.ServiceAccountName, err)
	}
	t.due = asked.Add(got.Status.ExpirationTimestamp.Sub(asked) * 4 / 5)
	next := t.path + ".next"
	if err := os.WriteFile(next, []byte(got.Status.Token), 0o600); err != nil {
		return err
	}
	if err := p.ownedByUser(next); err != nil {
		return err
	}
	return os.Rename(next, t.path)
}

// ownedByUser makes the user of the pod's containers the owner of a file, which only that user
// may read (kubernetes/kubernetes:pkg/volume/projected/projected.go@v1.26.13). Without root,
// the lab's user owns all files.
func (p *pod) ownedByUser(path string) error {
	security := p.spec.Spec.SecurityContext
	if security == nil || security.RunAsUser == nil || os.Getuid() != 0 {
		return nil
	}
	return os.Chown(path, int(*security.RunAsUser), -1)
}

// syncInterval is the interval at which the kubelet checks the volumes of its pods,
// approximately.
const syncInterval = time.Second

// keepTokens renews tokens while the containers run.
func (p *pod) keepTokens(ctx context.Context) {
	ticker := time.NewTicker(syncInterval)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case now := <-ticker.C:
			for _, t := range p.tokens {
				if now.After(t.due) {
					p.s.logFailure(p.spec, "a token", p.renew(ctx, t))
				}
			}
		}
	}
}
