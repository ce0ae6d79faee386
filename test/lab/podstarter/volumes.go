package podstarter

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// materialise fills a folder for each volume, and returns the folders by the volume's name.
// Files have the default mode of volumes.
func (p *pod) materialise(ctx context.Context) (map[string]string, error) {
	p.tokens = nil
	dirs := map[string]string{}
	for _, volume := range p.spec.Spec.Volumes {
		dir := filepath.Join(p.dir, volume.Name)
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return nil, err
		}
		dirs[volume.Name] = dir
		if err := p.fill(ctx, dir, volume); err != nil {
			return nil, fmt.Errorf("volume %s: %w", volume.Name, err)
		}
	}
	return dirs, nil
}

func (p *pod) fill(ctx context.Context, dir string, volume corev1.Volume) error {
	switch {
	case volume.EmptyDir != nil:
		return nil
	case volume.ConfigMap != nil:
		return p.configMap(ctx, dir, volume.ConfigMap.Name, volume.ConfigMap.Items)
	case volume.Secret != nil:
		return p.secret(ctx, dir, volume.Secret.SecretName)
	case volume.Projected != nil:
		for _, source := range volume.Projected.Sources {
			if err := p.project(ctx, dir, source); err != nil {
				return err
			}
		}
		return nil
	}
	return errors.New("the lab knows configMap, secret, projected and emptyDir volumes here")
}

func (p *pod) project(ctx context.Context, dir string, source corev1.VolumeProjection) error {
	switch {
	case source.ServiceAccountToken != nil:
		p.tokens = append(p.tokens, &token{path: filepath.Join(dir, source.ServiceAccountToken.Path), source: source.ServiceAccountToken})
		return p.renew(ctx, p.tokens[len(p.tokens)-1])
	case source.ConfigMap != nil:
		return p.configMap(ctx, dir, source.ConfigMap.Name, source.ConfigMap.Items)
	case source.DownwardAPI != nil:
		for _, item := range source.DownwardAPI.Items {
			value, err := p.field(item.FieldRef)
			if err != nil {
				return err
			}
			if err := os.WriteFile(filepath.Join(dir, item.Path), []byte(value), 0o644); err != nil {
				return err
			}
		}
		return nil
	}
	return errors.New("the lab knows serviceAccountToken, configMap and downwardAPI sources here")
}

func (p *pod) configMap(ctx context.Context, dir, name string, items []corev1.KeyToPath) error {
	object, err := p.s.client.CoreV1().ConfigMaps(p.spec.Namespace).Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return err
	}
	if len(items) == 0 {
		for key := range object.Data {
			items = append(items, corev1.KeyToPath{Key: key, Path: key})
		}
	}
	for _, item := range items {
		if err := os.WriteFile(filepath.Join(dir, item.Path), []byte(object.Data[item.Key]), 0o644); err != nil {
			return err
		}
	}
	return nil
}

func (p *pod) secret(ctx context.Context, dir, name string) error {
	object, err := p.s.client.CoreV1().Secrets(p.spec.Namespace).Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return err
	}
	for key, value := range object.Data {
		if err := os.WriteFile(filepath.Join(dir, key), value, 0o644); err != nil {
			return err
		}
	}
	return nil
}
