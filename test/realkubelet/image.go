package realkubelet

import (
	"archive/tar"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"time"

	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

// imageName is the only image, used for components and as pause image.
const imageName = "localhost/component:1"

// buildImage builds the component and packs it in the format of `docker save`, so that no registry
// is needed.
func buildImage(ctx context.Context, dir string) (string, error) {
	built := filepath.Join(dir, "component")
	build := exec.CommandContext(ctx, "go", "build", "-ldflags", "-s -w", "-o", built, "./component")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build the component: %w\n%s", err, out)
	}
	program, err := os.ReadFile(built)
	if err != nil {
		return "", fmt.Errorf("read the component: %w", err)
	}
	archive, err := dockerArchive(program)
	if err != nil {
		return "", fmt.Errorf("pack image %s: %w", imageName, err)
	}
	path := filepath.Join(dir, "image.tar")
	if err := os.WriteFile(path, archive, 0o644); err != nil {
		return "", fmt.Errorf("write image %s: %w", imageName, err)
	}
	return path, nil
}

// dockerArchive returns an image with one layer: the program under each of its names.
func dockerArchive(program []byte) ([]byte, error) {
	layer, err := pack(func(w *tar.Writer) error {
		if err := file(w, "pause", program, 0o755); err != nil {
			return err
		}
		for _, name := range []string{wellknown.KCM, wellknown.CCM} {
			if err := w.WriteHeader(&tar.Header{Typeflag: tar.TypeLink, Name: name, Linkname: "pause", Mode: 0o755, ModTime: time.Unix(0, 0)}); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	config, err := json.Marshal(map[string]any{
		"architecture": runtime.GOARCH, "os": "linux",
		"config": map[string]any{"Entrypoint": []string{"/pause"}},
		"rootfs": map[string]any{"type": "layers", "diff_ids": []string{fmt.Sprintf("sha256:%x", sha256.Sum256(layer))}},
	})
	if err != nil {
		return nil, err
	}
	manifest, err := json.Marshal([]map[string]any{{"Config": "config.json", "RepoTags": []string{imageName}, "Layers": []string{"layer.tar"}}})
	if err != nil {
		return nil, err
	}
	return pack(func(w *tar.Writer) error {
		for _, one := range []struct {
			name    string
			content []byte
		}{{"layer.tar", layer}, {"config.json", config}, {"manifest.json", manifest}} {
			if err := file(w, one.name, one.content, 0o644); err != nil {
				return err
			}
		}
		return nil
	})
}

func pack(fill func(*tar.Writer) error) ([]byte, error) {
	var out bytes.Buffer
	w := tar.NewWriter(&out)
	if err := fill(w); err != nil {
		return nil, err
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

func file(w *tar.Writer, name string, content []byte, mode int64) error {
	if err := w.WriteHeader(&tar.Header{Typeflag: tar.TypeReg, Name: name, Size: int64(len(content)), Mode: mode, ModTime: time.Unix(0, 0)}); err != nil {
		return err
	}
	_, err := w.Write(content)
	return err
}
