package rke

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
)

// FullState is the content of cluster.rkestate and of full-cluster-state
// (rancher/rke:cluster/state.go@v1.5.10).
type FullState struct {
	Desired State `json:"desiredState,omitempty"`
	Current State `json:"currentState,omitempty"`
}

// State is the desired or the current state.
type State struct {
	Config       *Config                `json:"rkeConfig,omitempty"`
	Certificates map[string]Certificate `json:"certificatesBundle,omitempty"`
	Encryption   string                 `json:"encryptionConfig,omitempty"`
}

// Certificate is one certificate of the bundle (rancher/rke:pki/pki.go CertificatePKI@v1.5.10).
type Certificate struct {
	CertificatePEM string `json:"certificatePEM"`
	KeyPEM         string `json:"keyPEM"`
	Config         string `json:"config"`
	Name           string `json:"name"`
	CommonName     string `json:"commonName"`
	OUName         string `json:"ouName"`
	EnvName        string `json:"envName"`
	Path           string `json:"path"`
	KeyEnvName     string `json:"keyEnvName"`
	KeyPath        string `json:"keyPath"`
	ConfigEnvName  string `json:"configEnvName"`
	ConfigPath     string `json:"configPath"`
}

// StateName is the name of the Secret or ConfigMap in kube-system, and of its only key.
const StateName = "full-cluster-state"

// StateFile returns the path next to cluster.yml with another extension.
func StateFile(clusterFile string) string {
	return strings.TrimSuffix(clusterFile, filepath.Ext(clusterFile)) + ".rkestate"
}

// KubeconfigFile returns the path of the kubeconfig next to cluster.yml.
func KubeconfigFile(clusterFile string) string {
	return filepath.Join(filepath.Dir(clusterFile), "kube_config_"+filepath.Base(clusterFile))
}

func readState(clusterFile string) (*FullState, error) {
	raw, err := os.ReadFile(StateFile(clusterFile))
	if err != nil {
		return nil, fmt.Errorf("[state] Can not find RKE state file: %w", err)
	}
	s := &FullState{}
	if err := json.Unmarshal(raw, s); err != nil {
		return nil, fmt.Errorf("[state] failed to unmarshal the state file: %w", err)
	}
	return s, nil
}

func (s *FullState) write(clusterFile string, log *Log) error {
	raw, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		return err
	}
	if err := os.WriteFile(StateFile(clusterFile), raw, 0o600); err != nil {
		return fmt.Errorf("[state] Failed to write state file: %w", err)
	}
	log.infof("Successfully Deployed state file at [%s]", StateFile(clusterFile))
	return nil
}

// save stores the state in the cluster: in a Secret, or with an older rke in a ConfigMap. A
// newer rke deletes the ConfigMap.
func (s *FullState) save(ctx context.Context, client kubernetes.Interface, r Release) error {
	raw, err := json.Marshal(s)
	if err != nil {
		return err
	}
	meta := metav1.ObjectMeta{Name: StateName, Namespace: metav1.NamespaceSystem}
	if !r.keepsSecret() {
		object := &corev1.ConfigMap{ObjectMeta: meta, Data: map[string]string{StateName: string(raw)}}
		maps := client.CoreV1().ConfigMaps(meta.Namespace)
		if _, err = maps.Update(ctx, object, metav1.UpdateOptions{}); apierrors.IsNotFound(err) {
			_, err = maps.Create(ctx, object, metav1.CreateOptions{})
		}
		return stateError(err)
	}
	object := &corev1.Secret{ObjectMeta: meta, Data: map[string][]byte{StateName: raw}}
	secrets := client.CoreV1().Secrets(meta.Namespace)
	if _, err = secrets.Update(ctx, object, metav1.UpdateOptions{}); apierrors.IsNotFound(err) {
		_, err = secrets.Create(ctx, object, metav1.CreateOptions{})
	}
	if err != nil {
		return stateError(err)
	}
	err = client.CoreV1().ConfigMaps(meta.Namespace).Delete(ctx, StateName, metav1.DeleteOptions{})
	if apierrors.IsNotFound(err) {
		return nil
	}
	return stateError(err)
}

func stateError(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("[state] error updating secret: %w", err)
}

// fetchState reads the stored state, from the Secret first.
func fetchState(ctx context.Context, client kubernetes.Interface) (*FullState, error) {
	var raw []byte
	secret, err := client.CoreV1().Secrets(metav1.NamespaceSystem).Get(ctx, StateName, metav1.GetOptions{})
	switch {
	case err == nil:
		raw = secret.Data[StateName]
	case apierrors.IsNotFound(err):
		object, err := client.CoreV1().ConfigMaps(metav1.NamespaceSystem).Get(ctx, StateName, metav1.GetOptions{})
		if err != nil {
			return nil, fmt.Errorf("[state] error getting full state from configmap: %w", err)
		}
		raw = []byte(object.Data[StateName])
	default:
		return nil, fmt.Errorf("[state] error getting full state from secret: %w", err)
	}
	s := &FullState{}
	if err := json.Unmarshal(raw, s); err != nil {
		return nil, fmt.Errorf("[state] error unmarshalling full state from JSON: %w", err)
	}
	return s, nil
}
