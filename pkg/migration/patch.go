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

// patchTries bounds how often an object that moves between read and patch is read
// again: Rancher writes the status of its Clusters every few seconds.
const patchTries = 5

// PatchRead sends a JSON patch on the condition that the object is the very one that
// was read, in resourceVersion version, beside the patch's own tests of values. A
// write that the network held back can thus never land later, when an undo has made
// the values the same again. Where only something else of the object moved, the
// patch's tests still hold, and it is sent once more for what was read anew. The
// error is the API server's.
func PatchRead(ctx context.Context, objects dynamic.ResourceInterface, name, version string, patch []byte) error {
	for try := 1; ; try++ {
		conditional, err := onVersion(patch, version)
		if err != nil {
			return fmt.Errorf("make a patch for %s: %w", name, err)
		}
		_, err = objects.Patch(ctx, name, types.JSONPatchType, conditional, metav1.PatchOptions{FieldManager: wellknown.FieldManager})
		if !apierrors.IsInvalid(err) && !apierrors.IsConflict(err) || try == patchTries {
			return err
		}
		now, readErr := objects.Get(ctx, name, metav1.GetOptions{})
		if readErr != nil || now.GetResourceVersion() == version {
			return err // the values moved, or nobody can tell
		}
		version = now.GetResourceVersion()
	}
}

// onVersion puts a test of the resourceVersion before a patch; none for "", an
// object that was not read from a server.
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
