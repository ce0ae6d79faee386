package oci

import (
	"archive/tar"
	"bytes"
	"crypto/x509"
	"errors"
	"io"
	"runtime/debug"
	"strings"
	"testing"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/validate"

	"github.com/awsmigrate/awsmigrate/tools/release/internal/pack"
)

func moment() time.Time { return time.Date(2026, 11, 24, 5, 0, 0, 0, time.UTC) }

func image(t *testing.T) Image {
	t.Helper()
	v, err := pack.ParseVersion("v0.1.0")
	if err != nil {
		t.Fatal(err)
	}
	return Image{Name: "tool", At: moment(), Licences: []pack.Entry{{Path: "LICENSE", Data: []byte("terms")}},
		About: About("tool", "does it", "https://example", "abc", "Apache-2.0", v, moment())}
}

func programs() map[string][]byte {
	return map[string][]byte{"amd64": []byte("program amd64"), "arm64": []byte("program arm64")}
}

// written writes the layout of an index, reads it again and checks it against the
// specification.
func written(t *testing.T) (dir string, index v1.ImageIndex) {
	t.Helper()
	made, err := image(t).Index(programs())
	if err != nil {
		t.Fatal(err)
	}
	dir = t.TempDir()
	if err := WriteLayout(dir, made, "docker.io/example/tool", "0.1.0"); err != nil {
		t.Fatal(err)
	}
	top, err := layout.ImageIndexFromPath(dir)
	if err != nil {
		t.Fatal(err)
	}
	manifest, err := top.IndexManifest()
	if err != nil {
		t.Fatal(err)
	}
	if len(manifest.Manifests) != 1 || manifest.Manifests[0].Annotations["org.opencontainers.image.ref.name"] != "0.1.0" ||
		manifest.Manifests[0].Annotations["io.containerd.image.name"] != "docker.io/example/tool:0.1.0" {
		t.Fatalf("%+v", manifest.Manifests)
	}
	index, err = top.ImageIndex(manifest.Manifests[0].Digest)
	if err != nil {
		t.Fatal(err)
	}
	if err := validate.Index(index); err != nil {
		t.Fatal(err)
	}
	return dir, index
}

func TestImagePerArchitecture(t *testing.T) {
	_, index := written(t)
	manifest, err := index.IndexManifest()
	if err != nil {
		t.Fatal(err)
	}
	if len(manifest.Manifests) != 2 || manifest.Annotations["org.opencontainers.image.revision"] != "abc" {
		t.Fatalf("%+v", manifest)
	}
	for _, d := range manifest.Manifests {
		if d.ArtifactType != "" {
			t.Errorf("%s is called an artifact of type %s", d.Digest, d.ArtifactType)
		}
		img, err := index.Image(d.Digest)
		if err != nil {
			t.Fatal(err)
		}
		config, err := img.ConfigFile()
		if err != nil {
			t.Fatal(err)
		}
		c := config.Config
		if config.OS != "linux" || config.Architecture != d.Platform.Architecture || c.User != "65534:65534" || c.Entrypoint[0] != "/usr/local/bin/tool" ||
			c.Labels["org.opencontainers.image.version"] != "0.1.0" || !config.Created.Equal(moment()) {
			t.Errorf("%+v", config)
		}
		files := rootFiles(t, img)
		if got := files["usr/local/bin/tool"]; got != "program "+d.Platform.Architecture {
			t.Errorf("%s runs %q", d.Platform.Architecture, got)
		}
		if !strings.Contains(files["etc/passwd"], ":65534:65534:") || !strings.Contains(files["etc/group"], ":65534:") || files["licenses/LICENSE"] != "terms" {
			t.Errorf("%q", files)
		}
	}
}

// rootFiles returns the files of a root file system, and fails if one is writable.
func rootFiles(t *testing.T, img v1.Image) map[string]string {
	t.Helper()
	files := map[string]string{}
	for r := tar.NewReader(mutate.Extract(img)); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return files
		}
		if err != nil {
			t.Fatal(err)
		}
		if h.Mode&0o222 != 0 || h.Uid != 0 || h.Gid != 0 {
			t.Errorf("%s has mode %o and is of %d:%d", h.Name, h.Mode, h.Uid, h.Gid)
		}
		data, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		files[h.Name] = string(data)
	}
}

func TestLayoutIsTheSame(t *testing.T) {
	var archives [][]byte
	for range 2 {
		dir, _ := written(t)
		archive, err := Archive(dir, moment())
		if err != nil {
			t.Fatal(err)
		}
		archives = append(archives, archive)
	}
	if !bytes.Equal(archives[0], archives[1]) {
		t.Error("the same programs make another image")
	}
	var names []string
	for r := tar.NewReader(bytes.NewReader(archives[0])); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, h.Name)
	}
	if all := strings.Join(names, " "); !strings.Contains(all, "oci-layout") || !strings.Contains(all, "index.json") || !strings.Contains(all, "blobs/sha256/") {
		t.Error(all)
	}
}

// The roots include the authorities of AWS, and Go reads the file.
func TestRoots(t *testing.T) {
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(roots()) {
		t.Fatal("Go reads no certificate")
	}
	names := string(bytes.Join(pool.Subjects(), nil)) //nolint:staticcheck // the pool is not the system's
	for _, wanted := range []string{"Amazon Root CA 1", "Amazon Root CA 4", "Starfield Services Root Certificate Authority - G2"} {
		if !strings.Contains(names, wanted) {
			t.Errorf("%s is not among the roots", wanted)
		}
	}
	if n := len(pool.Subjects()); n < 80 { //nolint:staticcheck // as above
		t.Errorf("%d roots", n)
	}
}

func TestRootsModule(t *testing.T) {
	info := &debug.BuildInfo{Deps: []*debug.Module{{Path: "example.org/a", Version: "v1.0.0"}, {Path: "golang.org/x/crypto/x509roots/fallback", Version: "v0.0.0-1"}}}
	if c, err := RootsModule(info); err != nil || c.PackageURL != "pkg:golang/golang.org/x/crypto/x509roots/fallback@v0.0.0-1" {
		t.Errorf("%+v, %v", c, err)
	}
	if c, err := RootsModule(&debug.BuildInfo{}); err == nil {
		t.Errorf("roots of nowhere: %+v", c)
	}
}
