package rancher

import (
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"math/rand/v2"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"
)

const (
	apiServerArg   = "kube-apiserver-arg"
	admissionFile  = "admission-control-config-file"
	psactSecretKey = "admission-config-psact"
)

func psactSecretName(cluster string) string { return cluster + "-admission-configuration-psact" }

// rewriteAPIServerArgs does what Rancher's webhook does with kube-apiserver-arg. It converts
// the list to a map and back: the order is random, entries without "=" are lost, the later of
// two entries with one key wins, and a string becomes empty. With a template the admission
// configuration is added. Without one it is removed, and the list is unchanged unless it had
// that configuration. Source:
// rancher/webhook:pkg/resources/provisioning.cattle.io/v1/cluster/mutator.go@v0.4.18
// (handlePSACT, setKubeAPIServerArg).
func rewriteAPIServerArgs(value any, template bool, shuffle func(int, func(i, j int))) (result []any, changed bool) {
	list, _ := value.([]any)
	at := map[string]int{}
	for _, e := range list {
		k, v, ok := strings.Cut(strings.TrimSpace(fmt.Sprint(e)), "=")
		if !ok {
			continue
		}
		if i, seen := at[k]; seen {
			result[i] = k + "=" + v
			continue
		}
		at[k] = len(result)
		result = append(result, k+"="+v)
	}
	ours := admissionFile + "=" + psactPath
	i, set := at[admissionFile]
	switch {
	case template && set:
		result[i] = ours
	case template:
		result = append(result, ours)
	case set && result[i] == ours:
		result = append(result[:i], result[i+1:]...)
	default:
		return nil, false
	}
	shuffle(len(result), func(a, b int) { result[a], result[b] = result[b], result[a] })
	return result, true
}

func shuffled(n int, swap func(i, j int)) { rand.Shuffle(n, swap) }

// psactFiles returns machineSelectorFiles with or without the file of a template.
func psactFiles(files []selectorFiles, cluster string, content []byte) []selectorFiles {
	hash := ""
	if content != nil {
		sum := sha256.Sum256(content)
		hash = base64.StdEncoding.EncodeToString(sum[:])
	}
	entry := func(hash string) selectorFiles {
		return selectorFiles{
			MachineLabelSelector: &metav1.LabelSelector{MatchLabels: map[string]string{labelControlPlane: "true"}},
			FileSources: []fileSource{{Secret: objectFile{Name: psactSecretName(cluster),
				Items: []fileItem{{Key: psactSecretKey, Path: psactPath, Hash: hash}}}}},
		}
	}
	var out []selectorFiles
	for _, f := range files {
		if !isPSACT(f, cluster) {
			out = append(out, f)
		}
	}
	if content != nil {
		out = append(out, entry(hash))
	}
	return out
}

func isPSACT(f selectorFiles, cluster string) bool {
	return f.MachineLabelSelector != nil && equality.Semantic.DeepEqual(f.MachineLabelSelector.MatchLabels, map[string]string{labelControlPlane: "true"}) &&
		len(f.FileSources) == 1 && f.FileSources[0].Secret.Name == psactSecretName(cluster)
}

// admissionConfiguration returns the file for a template. Source:
// rancher/webhook:pkg/podsecurityadmission@v0.4.18 (GenerateAdmissionConfigFile).
func admissionConfiguration(template *object) ([]byte, error) {
	configuration := mapAt(template, "configuration")
	if configuration == nil {
		configuration = map[string]any{}
	}
	configuration["apiVersion"], configuration["kind"] = "pod-security.admission.config.k8s.io/v1", "PodSecurityConfiguration"
	return yaml.Marshal(map[string]any{
		"apiVersion": "apiserver.config.k8s.io/v1", "kind": "AdmissionConfiguration",
		"plugins": []any{map[string]any{"name": "PodSecurity", "configuration": configuration}},
	})
}

func psactSecret(cluster *object, content []byte) *corev1.Secret {
	return &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Namespace: cluster.GetNamespace(), Name: psactSecretName(cluster.GetName()),
			Annotations: map[string]string{annotationAuthorized: cluster.GetName()}},
		Data: map[string][]byte{psactSecretKey: content},
	}
}
