package rancher

import (
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
)

// selectorFiles puts files from Secrets on the matching machines.
type selectorFiles struct {
	MachineLabelSelector *metav1.LabelSelector `json:"machineLabelSelector,omitempty"`
	FileSources          []fileSource          `json:"fileSources,omitempty"`
}

type fileSource struct {
	Secret objectFile `json:"secret,omitempty"`
}

type objectFile struct {
	Name  string     `json:"name"`
	Items []fileItem `json:"items,omitempty"`
}

type fileItem struct {
	Key     string `json:"key"`
	Path    string `json:"path"`
	Dynamic bool   `json:"dynamic,omitempty"`
	Hash    string `json:"hash,omitempty"`
}

// fileContent returns the content of a file argument. It is inline or, for a cloud provider's
// configuration, secret://namespace:name with the key credential, if that Secret names the
// cluster. Source: rancher/rancher:pkg/capr/planner/config.go@v2.8.5 (checkForSecretFormat,
// retrieveClusterAuthorizedSecret).
func fileContent(key, value string, secret secretReader, cluster string) ([]byte, error) {
	ref, isRef := strings.CutPrefix(value, "secret://")
	if key != "cloud-provider-config" || !isRef {
		return []byte(value), nil
	}
	ns, name, ok := strings.Cut(ref, ":")
	if !ok || ns == "" || name == "" || strings.Contains(name, ":") {
		return nil, fmt.Errorf("provided value for %s secret is malformed, must be of the format secret://namespace:name", key)
	}
	s, err := secret(ns, name)
	if err != nil {
		return nil, err
	}
	if !isAuthorized(s, annotationAuthorizedV2, cluster) {
		return nil, fmt.Errorf("the secret '%s' provided within the cloud-provider-config does not belong to cluster '%s'", value, cluster)
	}
	content, ok := s.Data["credential"]
	if !ok {
		return nil, fmt.Errorf("the cloud-provider-config specified a secret, but no config could be found within the secret '%s'", value)
	}
	return content, nil
}

func selectedFiles(in []selectorFiles, t target, secret secretReader, cluster, namespace string) ([]planFile, error) {
	var out []planFile
	for i, f := range in {
		if f.MachineLabelSelector != nil {
			s, err := metav1.LabelSelectorAsSelector(f.MachineLabelSelector)
			if err != nil {
				return nil, fmt.Errorf("machineSelectorFiles[%d].machineLabelSelector: %w", i, err)
			}
			if !s.Matches(labels.Set(t.Labels)) {
				continue
			}
		}
		for _, source := range f.FileSources {
			files, err := secretFiles(source.Secret, secret, cluster, namespace)
			if err != nil {
				return nil, err
			}
			out = append(out, files...)
		}
	}
	return out, nil
}

func secretFiles(source objectFile, secret secretReader, cluster, namespace string) ([]planFile, error) {
	if source.Name == "" {
		return nil, nil
	}
	s, err := secret(namespace, source.Name)
	if err != nil {
		return nil, fmt.Errorf("error retrieving secret %s/%s while rendering files: %w", namespace, source.Name, err)
	}
	if !isAuthorized(s, annotationAuthorized, cluster) {
		return nil, fmt.Errorf("error rendering files: cluster %s/%s was not authorized to access secret %s/%s", namespace, cluster, namespace, source.Name)
	}
	var out []planFile
	for _, item := range source.Items {
		content := s.Data[item.Key]
		sum := sha256.Sum256(content)
		if item.Hash != "" && item.Hash != base64.StdEncoding.EncodeToString(sum[:]) {
			return nil, fmt.Errorf("secret %s does not contain the expected content", source.Name)
		}
		out = append(out, planFile{Path: item.Path, Content: base64.StdEncoding.EncodeToString(content), Dynamic: item.Dynamic})
	}
	return out, nil
}

func isAuthorized(s *corev1.Secret, annotation, cluster string) bool {
	return slices.Contains(strings.Split(s.Annotations[annotation], ","), cluster)
}
