package host

import (
	"archive/tar"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"time"
)

// image is a container image of one layer.
type image struct {
	name   string // with its tag
	files  []imageFile
	config imageConfig
	pods   bool // in containerd, too
}

// imageConfig is the part of an image's configuration that the lab's images use
// (opencontainers/image-spec:config.md@v1.0).
type imageConfig struct {
	User       string              `json:"User,omitempty"`
	Env        []string            `json:"Env,omitempty"`
	Entrypoint []string            `json:"Entrypoint,omitempty"`
	Cmd        []string            `json:"Cmd,omitempty"`
	Volumes    map[string]struct{} `json:"Volumes,omitempty"`
}

// imageFile is an entry of an image: a copy of source, a symbolic link, a text, or else a folder.
type imageFile struct {
	path   string
	source string // file on this machine
	link   string
	text   string
	mode   int64
}

// write writes the image as `docker save` would.
func (i image) write(to string) (err error) {
	layer := to + ".layer"
	digest, err := writeFile(layer, func(w io.Writer) error { return packFiles(w, i.files) })
	if err != nil {
		return fmt.Errorf("image %s: %w", i.name, err)
	}
	defer func() { err = errors.Join(err, os.Remove(layer)) }()
	config, err := json.Marshal(map[string]any{
		"architecture": runtime.GOARCH, "os": "linux", "config": i.config,
		"rootfs": map[string]any{"type": "layers", "diff_ids": []string{"sha256:" + digest}},
	})
	if err != nil {
		return err
	}
	manifest, err := json.Marshal([]map[string]any{{"Config": "config.json", "RepoTags": []string{i.name}, "Layers": []string{"layer.tar"}}})
	if err != nil {
		return err
	}
	_, err = writeFile(to, func(w io.Writer) error {
		return packFiles(w, []imageFile{
			{path: "layer.tar", source: layer, mode: 0o644}, {path: "config.json", text: string(config), mode: 0o644}, {path: "manifest.json", text: string(manifest), mode: 0o644},
		})
	})
	return err
}

// writeFile returns the SHA-256 of what was written, in hexadecimal digits.
func writeFile(to string, fill func(io.Writer) error) (digest string, err error) {
	out, err := os.Create(to)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, out.Close()) }()
	sum := sha256.New()
	if err := fill(io.MultiWriter(out, sum)); err != nil {
		return "", err
	}
	return fmt.Sprintf("%x", sum.Sum(nil)), nil
}

func packFiles(to io.Writer, files []imageFile) error {
	w := tar.NewWriter(to)
	made := map[string]bool{".": true, "/": true}
	for _, f := range files {
		if err := packParents(w, path.Dir(f.path), made); err != nil {
			return err
		}
		if made[path.Clean(f.path)] && f.source == "" && f.link == "" && f.text == "" {
			continue
		}
		made[path.Clean(f.path)] = true
		if err := f.pack(w); err != nil {
			return fmt.Errorf("pack %s: %w", f.path, err)
		}
	}
	return w.Close()
}

func packParents(w *tar.Writer, dir string, made map[string]bool) error {
	if made[dir] {
		return nil
	}
	made[dir] = true
	if err := packParents(w, path.Dir(dir), made); err != nil {
		return err
	}
	return imageFile{path: dir, mode: 0o755}.pack(w)
}

func (f imageFile) pack(w *tar.Writer) error {
	h := &tar.Header{Name: f.path, Mode: f.mode, ModTime: time.Unix(0, 0)}
	if h.Name[0] == '/' {
		h.Name = h.Name[1:]
	}
	switch {
	case f.link != "":
		h.Typeflag, h.Linkname = tar.TypeSymlink, f.link
		return w.WriteHeader(h)
	case f.source != "":
		return f.packSource(w, h)
	case f.text != "":
		h.Typeflag, h.Size = tar.TypeReg, int64(len(f.text))
		if err := w.WriteHeader(h); err != nil {
			return err
		}
		_, err := io.WriteString(w, f.text)
		return err
	}
	h.Typeflag, h.Name = tar.TypeDir, h.Name+"/"
	return w.WriteHeader(h)
}

func (f imageFile) packSource(w *tar.Writer, h *tar.Header) error {
	target, err := filepath.EvalSymlinks(f.source)
	if err != nil {
		return err
	}
	in, err := os.Open(target)
	if err != nil {
		return err
	}
	defer in.Close()
	info, err := in.Stat()
	if err != nil {
		return err
	}
	h.Typeflag, h.Size = tar.TypeReg, info.Size()
	if err := w.WriteHeader(h); err != nil {
		return err
	}
	_, err = io.Copy(w, in)
	return err
}
