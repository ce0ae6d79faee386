package release

import (
	"context"
	"sync"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	corev1client "k8s.io/client-go/kubernetes/typed/core/v1"

	"github.com/awsmigrate/awsmigrate/pkg/awsccm"
	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

// fencedSecrets adds the preconditions to Helm's release records that Helm omits: a record is
// changed or deleted only in the version that was last read. Two writers can then never both
// succeed, even without a lock.
type fencedSecrets struct {
	corev1client.SecretInterface
	mu   sync.Mutex
	seen map[string]*corev1.Secret
}

func fence(secrets corev1client.SecretInterface) *fencedSecrets {
	return &fencedSecrets{SecretInterface: secrets, seen: map[string]*corev1.Secret{}}
}

func (f *fencedSecrets) remember(s *corev1.Secret, err error) (*corev1.Secret, error) {
	if err == nil && s != nil {
		if err := checkRecord(s); err != nil {
			return nil, err
		}
		f.mu.Lock()
		defer f.mu.Unlock()
		f.seen[s.Name] = s
	}
	return s, err
}

func (f *fencedSecrets) last(name string) *corev1.Secret {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.seen[name]
}

// Get remembers the version that it read.
func (f *fencedSecrets) Get(ctx context.Context, name string, opts metav1.GetOptions) (*corev1.Secret, error) {
	return f.remember(f.SecretInterface.Get(ctx, name, opts))
}

// List remembers the versions that it read.
func (f *fencedSecrets) List(ctx context.Context, opts metav1.ListOptions) (*corev1.SecretList, error) {
	list, err := f.SecretInterface.List(ctx, opts)
	if err == nil {
		for i := range list.Items {
			if _, err := f.remember(&list.Items[i], nil); err != nil {
				return nil, err
			}
		}
	}
	return list, err
}

// Create remembers the version that it created.
func (f *fencedSecrets) Create(ctx context.Context, s *corev1.Secret, opts metav1.CreateOptions) (*corev1.Secret, error) {
	opts.FieldManager = wellknown.FieldManager
	return f.remember(f.SecretInterface.Create(ctx, s, opts))
}

// Update changes only the version that was last read.
func (f *fencedSecrets) Update(ctx context.Context, s *corev1.Secret, opts metav1.UpdateOptions) (*corev1.Secret, error) {
	if last := f.last(s.Name); last != nil {
		s.UID, s.ResourceVersion = last.UID, last.ResourceVersion
	}
	opts.FieldManager = wellknown.FieldManager
	return f.remember(f.SecretInterface.Update(ctx, s, opts))
}

// Delete deletes only the version that was last read.
func (f *fencedSecrets) Delete(ctx context.Context, name string, opts metav1.DeleteOptions) error {
	if last := f.last(name); last != nil {
		opts.Preconditions = awsccm.Exactly(last).Preconditions
	}
	return f.SecretInterface.Delete(ctx, name, opts)
}
