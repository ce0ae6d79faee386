package migration

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"

	"github.com/awsmigrate/awsmigrate/pkg/kube"
	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

// maxPatchTries is the maximum number of patches of an object that changes between read and
// patch. Rancher writes the status of its Clusters every few seconds.
const maxPatchTries = 5

// PatchRead sends a JSON patch that applies only to the resourceVersion that was read,
// version, in addition to the patch's own tests of values. A write that the network delayed
// can therefore never land after an undo has restored the same values. If another part of
// the object changed, the patch's tests still hold, so PatchRead reads the object again and
// repeats the patch. It returns the API server's error.
func PatchRead(ctx context.Context, objects dynamic.ResourceInterface, name, version string, patch []byte) error {
	for try := 1; ; try++ {
		conditional, err := onVersion(patch, version)
		if err != nil {
			return fmt.Errorf("make a patch for %s: %w", name, err)
		}
		_, err = objects.Patch(ctx, name, types.JSONPatchType, conditional, metav1.PatchOptions{FieldManager: wellknown.FieldManager})
		if !apierrors.IsInvalid(err) && !apierrors.IsConflict(err) || try == maxPatchTries {
			return err
		}
		now, readErr := objects.Get(ctx, name, metav1.GetOptions{})
		if readErr != nil || now.GetResourceVersion() == version {
			return err // the values changed, or the object cannot be read
		}
		version = now.GetResourceVersion()
	}
}

// onVersion adds a test of the resourceVersion to a patch. An empty version, of an object
// that was not read from a server, adds none.
func onVersion(patch []byte, version string) ([]byte, error) {
	if version == "" {
		return patch, nil
	}
	test, err := kube.JSONPatch(kube.Test("/metadata/resourceVersion", version))
	if err != nil {
		return nil, err
	}
	var rest []json.RawMessage
	if err := json.Unmarshal(patch, &rest); err != nil || len(rest) == 0 {
		return patch, err
	}
	joined := append(bytes.TrimSuffix(test, []byte("]")), ',')
	return append(joined, bytes.TrimPrefix(bytes.TrimSpace(patch), []byte("["))...), nil
}
