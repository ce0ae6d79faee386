package job

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/strategicpatch"
	"sigs.k8s.io/yaml"

	"github.com/awsmigrate/awsmigrate/docs"
)

// documentedPatch returns the patch in the kustomization of docs/job.md.
func documentedPatch(t *testing.T) []byte {
	t.Helper()
	page, err := docs.Pages.ReadFile("job.md")
	if err != nil {
		t.Fatal(err)
	}
	_, text, _ := strings.Cut(string(page), "```yaml\nresources:")
	text, _, _ = strings.Cut("resources:"+text, "```")
	var kustomization struct {
		Resources []string `json:"resources"`
		Patches   []struct {
			Target map[string]string `json:"target"`
			Patch  string            `json:"patch"`
		} `json:"patches"`
	}
	if err := yaml.UnmarshalStrict([]byte(text), &kustomization); err != nil || len(kustomization.Patches) != 1 {
		t.Fatalf("%d patches in docs/job.md: %v", len(kustomization.Patches), err)
	}
	patch, err := yaml.YAMLToJSONStrict([]byte(kustomization.Patches[0].Patch))
	if err != nil {
		t.Fatal(err)
	}
	return patch
}

// The patch in docs/job.md, for sites with a proxy or a private registry, only adds to the
// printed pod. Kustomize merges lists by the same keys.
func TestObjects_patchedAsDocumented_keepWhatIsPrinted(t *testing.T) {
	patch := documentedPatch(t)
	for name, options := range cases() {
		printed := options.job()
		raw, err := json.Marshal(printed)
		if err != nil {
			t.Fatal(err)
		}
		merged, err := strategicpatch.StrategicMergePatch(raw, patch, batchv1.Job{})
		if err != nil {
			t.Fatal(err)
		}
		var got batchv1.Job
		if err := yaml.UnmarshalStrict(merged, &got); err != nil {
			t.Fatal(err)
		}
		pod := got.Spec.Template.Spec
		if len(pod.ImagePullSecrets) != 1 || pod.NodeSelector["pool"] == "" || !slices.ContainsFunc(pod.Containers[0].Env, func(e corev1.EnvVar) bool { return e.Name == "HTTPS_PROXY" }) {
			t.Errorf("%s: %+v", name, pod)
		}
		got.Name = printed.Name // Kustomize ignores the patch's own where it has a target
		if diff := cmp.Diff(*printed, withoutPatch(got), cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%s: printed (-), patched (+):\n%s", name, diff)
		}
	}
}

// withoutPatch removes from a Job what the documented patch adds.
func withoutPatch(job batchv1.Job) batchv1.Job {
	pod := &job.Spec.Template.Spec
	pod.ImagePullSecrets = nil
	delete(pod.NodeSelector, "pool")
	c := &pod.Containers[0]
	c.Env = slices.DeleteFunc(c.Env, func(e corev1.EnvVar) bool {
		return slices.Contains([]string{"HTTPS_PROXY", "NO_PROXY", "SSL_CERT_DIR"}, e.Name)
	})
	c.VolumeMounts = slices.DeleteFunc(c.VolumeMounts, func(m corev1.VolumeMount) bool { return m.Name == "certificates" })
	pod.Volumes = slices.DeleteFunc(pod.Volumes, func(v corev1.Volume) bool { return v.Name == "certificates" })
	return job
}
