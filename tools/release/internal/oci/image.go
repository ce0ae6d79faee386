package oci

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/google/go-containerregistry/pkg/v1/types"

	"github.com/awsmigrate/awsmigrate/tools/release/internal/pack"
)

// Image describes the image of a release.
type Image struct {
	Name     string // of the program
	About    map[string]string
	Licences []pack.Entry
	At       time.Time
}

// About returns the annotations of an image, by the names in
// opencontainers/image-spec:annotations.md.
func About(title, description, home, revision, licence string, version pack.Version, at time.Time) map[string]string {
	const prefix = "org.opencontainers.image."
	return map[string]string{
		prefix + "title": title, prefix + "description": description, prefix + "url": home, prefix + "source": home,
		prefix + "documentation": home + "/tree/" + version.String() + "/docs", prefix + "version": version.Number(),
		prefix + "revision": revision, prefix + "licenses": licence, prefix + "vendor": title,
		prefix + "created": at.UTC().Format(time.RFC3339),
	}
}

// Index returns an index with one linux image for each architecture.
func (i Image) Index(programs map[string][]byte) (v1.ImageIndex, error) {
	shared, err := layer(base(i.Licences), i.At)
	if err != nil {
		return nil, err
	}
	var index v1.ImageIndex = empty.Index
	for _, platform := range pack.Platforms() {
		program, wanted := programs[platform.Arch]
		if platform.OS != "linux" || !wanted {
			continue
		}
		one, err := i.one(platform.Arch, shared, program)
		if err != nil {
			return nil, fmt.Errorf("image for %s: %w", platform.Arch, err)
		}
		index = mutate.AppendManifests(index, mutate.IndexAddendum{Add: runnable{one}, Descriptor: v1.Descriptor{
			Platform: &v1.Platform{OS: platform.OS, Architecture: platform.Arch},
		}})
	}
	return mutate.Annotations(index, i.About).(v1.ImageIndex), nil
}

// runnable is an image whose entry in an index has no artifact type. Artifact types are for
// content that cannot run. With one, skopeo up to at least 1.9 rewrites the index when it
// copies it, and the digest differs from the one in the chart.
type runnable struct{ v1.Image }

// ArtifactType implements the interface of go-containerregistry for entries of an index.
func (runnable) ArtifactType() (string, error) { return "", nil }

func (i Image) one(arch string, shared v1.Layer, program []byte) (v1.Image, error) {
	own, err := layer([]pack.Entry{{Path: programFolder + "/" + i.Name, Executable: true, Data: program}}, i.At)
	if err != nil {
		return nil, err
	}
	img := mutate.ConfigMediaType(mutate.MediaType(empty.Image, types.OCIManifestSchema1), types.OCIConfigJSON)
	created := v1.Time{Time: i.At.UTC()}
	history := func(what string) v1.History { return v1.History{Created: created, CreatedBy: what} }
	img, err = mutate.Append(img,
		mutate.Addendum{Layer: shared, History: history("users, certificate authorities, licences")},
		mutate.Addendum{Layer: own, History: history("/" + programFolder + "/" + i.Name)})
	if err != nil {
		return nil, err
	}
	config, err := img.ConfigFile()
	if err != nil {
		return nil, err
	}
	config = config.DeepCopy()
	config.OS, config.Architecture, config.Created = "linux", arch, created
	config.Config = v1.Config{
		User: user + ":" + user, WorkingDir: "/", Entrypoint: []string{"/" + programFolder + "/" + i.Name},
		Env: []string{"PATH=/" + programFolder}, Labels: i.About,
	}
	img, err = mutate.ConfigFile(img, config)
	if err != nil {
		return nil, err
	}
	return mutate.Annotations(img, i.About).(v1.Image), nil
}

func layer(entries []pack.Entry, at time.Time) (v1.Layer, error) {
	raw, err := pack.Tar(entries, pack.ReadOnly(), at)
	if err != nil {
		return nil, err
	}
	open := func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(raw)), nil }
	return tarball.LayerFromOpener(open, tarball.WithMediaType(types.OCILayer), tarball.WithCompressionLevel(gzip.DefaultCompression), tarball.WithCompressedCaching)
}
