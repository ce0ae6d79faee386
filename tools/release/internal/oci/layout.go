package oci

import (
	"fmt"
	"io/fs"
	"os"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/layout"

	"github.com/awsmigrate/awsmigrate/tools/release/internal/pack"
)

// WriteLayout writes the index to a folder, an OCI image layout, under its name: the tag
// by which skopeo finds it, and the whole name by which containerd imports it.
func WriteLayout(dir string, index v1.ImageIndex, repository, tag string) error {
	into, err := layout.Write(dir, empty.Index)
	if err != nil {
		return fmt.Errorf("write the layout: %w", err)
	}
	names := map[string]string{"org.opencontainers.image.ref.name": tag, "io.containerd.image.name": repository + ":" + tag}
	if err := into.AppendIndex(index, layout.WithAnnotations(names)); err != nil {
		return fmt.Errorf("write the image: %w", err)
	}
	return nil
}

// Archive returns the layout as one file, for skopeo (oci-archive:) and `ctr image import`.
func Archive(dir string, at time.Time) ([]byte, error) {
	var entries []pack.Entry
	root := os.DirFS(dir)
	err := fs.WalkDir(root, ".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		data, err := fs.ReadFile(root, path)
		entries = append(entries, pack.Entry{Path: path, Data: data})
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("read the layout: %w", err)
	}
	return pack.Tar(entries, pack.Usual(), at)
}
