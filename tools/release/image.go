package main

import (
	"context"
	"fmt"
	"path/filepath"
	"runtime/debug"

	cdx "github.com/CycloneDX/cyclonedx-go"

	"github.com/awsmigrate/awsmigrate/tools/release/internal/oci"
	"github.com/awsmigrate/awsmigrate/tools/release/internal/pack"
	"github.com/awsmigrate/awsmigrate/tools/release/internal/repository"
)

// layoutFolder holds the image as an OCI image layout.
const layoutFolder = "image"

// imageAndCharts writes the image, the charts that name it by its digest, and the list of
// images for mirrors.
func (r release) imageAndCharts(context.Context) error {
	r.say("making the image and the charts")
	name, err := repository.ImageName(filepath.Join(r.copy, "charts", program))
	if err != nil {
		return err
	}
	digest, err := r.image("docker.io/" + name)
	if err != nil {
		return err
	}
	return r.charts(digest)
}

// image writes the image and returns the digest of its index.
func (r release) image(name string) (string, error) {
	licences, err := r.licences()
	if err != nil {
		return "", err
	}
	programs, builds := map[string][]byte{}, []*debug.BuildInfo{}
	for _, platform := range r.platforms {
		if platform.OS == "linux" {
			programs[platform.Arch] = r.binaries[platform].data
			builds = append(builds, r.binaries[platform].info)
		}
	}
	image := oci.Image{Name: program, Licences: licences, At: r.commit.Time,
		About: oci.About(program, about, home, r.commit.Hash, licence, r.version, r.commit.Time)}
	index, err := image.Index(programs)
	if err != nil {
		return "", err
	}
	digest, err := index.Digest()
	if err != nil {
		return "", err
	}
	layout := filepath.Join(r.out, layoutFolder)
	if err := oci.WriteLayout(layout, index, name, r.version.Number()); err != nil {
		return "", err
	}
	archive, err := oci.Archive(layout, r.commit.Time)
	if err != nil {
		return "", err
	}
	base := imageBase(r.version)
	if err := r.write(base+".tar", archive); err != nil {
		return "", err
	}
	return digest.String(), r.imageBill(base, name, digest.String(), builds)
}

// imageBase returns the prefix of the names of the image's files.
func imageBase(version pack.Version) string { return fmt.Sprintf("%s_%s_image", program, version) }

func (r release) imageBill(base, name, digest string, builds []*debug.BuildInfo) error {
	subject := pack.Subject{
		Type: cdx.ComponentTypeContainer, Name: name, PURL: "pkg:oci/" + program + "@" + digest + "?repository_url=" + name,
		Version: r.version, At: r.commit.Time, License: licence,
	}
	own, _ := debug.ReadBuildInfo()
	roots, err := oci.RootsModule(own)
	if err != nil {
		return err
	}
	parts := append(pack.Modules(builds...), roots, pack.Module(module, r.version.String()))
	text, err := pack.BillOfMaterials(subject, parts)
	if err != nil {
		return err
	}
	return r.write(base+".cdx.json", text)
}

// charts writes the packaged Helm repository and the list for mirrors.
func (r release) charts(digest string) error {
	crd, err := repository.Package(filepath.Join(r.copy, "charts", program+"-crd"), r.version, "", r.commit.Time)
	if err != nil {
		return err
	}
	app, err := repository.Package(filepath.Join(r.copy, "charts", program), r.version, digest, r.commit.Time)
	if err != nil {
		return err
	}
	charts := []repository.Chart{crd, app}
	for _, c := range charts {
		if err := r.write(c.FileName(), c.Archive); err != nil {
			return err
		}
	}
	index, err := repository.Index(charts, r.commit.Time)
	if err != nil {
		return err
	}
	if err := r.write("index.yaml", index); err != nil {
		return err
	}
	images, err := app.Images()
	if err != nil {
		return err
	}
	return r.write(program+"-images.txt", []byte(repository.Mirrored(images)))
}
