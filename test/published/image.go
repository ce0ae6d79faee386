package published

import (
	"archive/tar"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/mutate"

	"github.com/awsmigrate/awsmigrate/test/lab/podstarter"
)

// Digest returns the digest of the image's index, which covers all architectures.
func (r Release) Digest() (string, error) {
	described, _, err := r.index()
	return described.Digest.String(), err
}

// Unpack writes the image for this machine into a folder in the lab's form: its merged layers and
// its configuration.
func (r Release) Unpack(folder string) error {
	image, err := r.image()
	if err != nil {
		return err
	}
	config, err := image.RawConfigFile()
	if err != nil {
		return fmt.Errorf("configuration of the image: %w", err)
	}
	root := filepath.Join(folder, podstarter.RootFolder)
	if err := os.MkdirAll(root, 0o755); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(folder, podstarter.ConfigFile), config, 0o644); err != nil {
		return err
	}
	layers := mutate.Extract(image)
	defer func() { _ = layers.Close() }()
	if err := untar(layers, root); err != nil {
		return fmt.Errorf("unpack the image: %w", err)
	}
	return nil
}

func (r Release) index() (described v1.Descriptor, index v1.ImageIndex, err error) {
	top, err := layout.ImageIndexFromPath(filepath.Join(r.dir, "image"))
	if err != nil {
		return described, nil, fmt.Errorf("the image's layout: %w", err)
	}
	manifest, err := top.IndexManifest()
	if err != nil || len(manifest.Manifests) != 1 {
		return described, nil, fmt.Errorf("the image's layout: wanted one index: %w", err)
	}
	described = manifest.Manifests[0]
	index, err = top.ImageIndex(described.Digest)
	return described, index, err
}

func (r Release) image() (v1.Image, error) {
	_, index, err := r.index()
	if err != nil {
		return nil, err
	}
	manifest, err := index.IndexManifest()
	if err != nil {
		return nil, fmt.Errorf("the image's index: %w", err)
	}
	for _, one := range manifest.Manifests {
		if p := one.Platform; p != nil && p.OS == "linux" && p.Architecture == runtime.GOARCH {
			return index.Image(one.Digest)
		}
	}
	return nil, fmt.Errorf("the image is not for linux/%s", runtime.GOARCH)
}

// untar keeps the file modes of a layer: the tests depend on which files are writable.
func untar(from io.Reader, into string) error {
	root, err := os.OpenRoot(into)
	if err != nil {
		return err
	}
	defer func() { _ = root.Close() }()
	for layer := tar.NewReader(from); ; {
		header, err := layer.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		switch mode := header.FileInfo().Mode(); header.Typeflag {
		case tar.TypeDir:
			err = root.MkdirAll(filepath.Clean(header.Name), mode.Perm())
		case tar.TypeReg:
			err = write(root, header.Name, mode.Perm(), layer)
		default:
			err = fmt.Errorf("an entry of type %c", header.Typeflag)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", header.Name, err)
		}
	}
}

func write(root *os.Root, name string, mode os.FileMode, from io.Reader) error {
	if err := root.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	file, err := root.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, mode)
	if err != nil {
		return err
	}
	_, err = io.Copy(file, from)
	return errors.Join(err, file.Close())
}
