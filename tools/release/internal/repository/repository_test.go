package repository

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"helm.sh/helm/v3/pkg/chart/loader"
	"helm.sh/helm/v3/pkg/repo"

	"github.com/awsmigrate/awsmigrate/pkg/awsccm"
	"github.com/awsmigrate/awsmigrate/pkg/textdiff"
	"github.com/awsmigrate/awsmigrate/tools/release/internal/pack"
)

const (
	charts = "../../../../charts"
	digest = "sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
)

func moment() time.Time { return time.Date(2026, 11, 24, 5, 0, 0, 0, time.UTC) }

// packaged returns a chart of this repository, packaged for v1.98.7.
func packaged(t *testing.T, name, digest string) Chart {
	t.Helper()
	v, err := pack.ParseVersion("v1.98.7")
	if err != nil {
		t.Fatal(err)
	}
	c, err := Package(filepath.Join(charts, name), v, digest, moment())
	if err != nil {
		t.Fatal(err)
	}
	again, err := Package(filepath.Join(charts, name), v, digest, moment().In(time.FixedZone("west", -9*3600)))
	if err != nil || !bytes.Equal(c.Archive, again.Archive) {
		t.Errorf("the same chart makes another archive: %v", err)
	}
	return c
}

// Helm reads the archives and finds version and digest of the release.
func TestPackagedChartsAreOfTheRelease(t *testing.T) {
	for _, name := range []string{"awsmigrate", "awsmigrate-crd"} {
		want := digest
		if name == "awsmigrate-crd" {
			want = ""
		}
		c := packaged(t, name, want)
		read, err := loader.LoadArchive(bytes.NewReader(c.Archive))
		if err != nil {
			t.Fatal(err)
		}
		if m := read.Metadata; m.Name != name || m.Version != "1.98.7" || m.AppVersion != "1.98.7" || c.FileName() != name+"-1.98.7.tgz" {
			t.Errorf("%s: %+v", c.FileName(), m)
		}
		if said, has := read.Metadata.Annotations[upstreamVersion]; has && said != "1.98.7" {
			t.Errorf("%s is the upstream version of %s", said, name)
		}
		if len(read.Templates) == 0 || len(read.Raw) != len(c.Raw) {
			t.Errorf("%s: %d templates, %d of %d files", name, len(read.Templates), len(read.Raw), len(c.Raw))
		}
	}
}

// Only values are filled in; every other byte of a chart's files is as in the repository,
// including comments.
func TestOnlyVersionsAndDigestAreFilledIn(t *testing.T) {
	for _, file := range packaged(t, "awsmigrate", digest).Raw {
		source, err := os.ReadFile(filepath.Join(charts, "awsmigrate", file.Name))
		if err != nil {
			t.Fatal(err)
		}
		for _, line := range strings.Split(textdiff.Unified(file.Name, string(source), string(file.Data)), "\n") {
			if !strings.HasPrefix(line, "+") || strings.HasPrefix(line, "+++") {
				continue
			}
			known := strings.Contains(line, digest) && file.Name == "values.yaml" || strings.HasSuffix(line, " 1.98.7") && file.Name == "Chart.yaml"
			if !known {
				t.Errorf("%s: %s", file.Name, line)
			}
		}
	}
}

// The members of an archive have the paths of Helm's own: below a folder of the chart's name.
func TestArchiveIsLaidOutAsHelms(t *testing.T) {
	unzipped, err := gzip.NewReader(bytes.NewReader(packaged(t, "awsmigrate-crd", "").Archive))
	if err != nil {
		t.Fatal(err)
	}
	for r := tar.NewReader(unzipped); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil || !strings.HasPrefix(h.Name, "awsmigrate-crd/") || !h.ModTime.Equal(moment()) || h.Uid != 0 {
			t.Fatalf("%+v, %v", h, err)
		}
	}
}

func TestIndex(t *testing.T) {
	app, crd := packaged(t, "awsmigrate", digest), packaged(t, "awsmigrate-crd", "")
	text, err := Index([]Chart{app, crd}, moment())
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "index.yaml")
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
	index, err := repo.LoadIndexFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []Chart{app, crd} {
		v, err := index.Get(c.Name(), "1.98.7")
		if err != nil {
			t.Fatal(err)
		}
		if v.Digest != pack.Digest(c.Archive) || v.URLs[0] != c.FileName() || !v.Created.Equal(moment()) {
			t.Errorf("%+v", v)
		}
	}
	again, err := Index([]Chart{app, crd}, moment())
	if err != nil || !bytes.Equal(text, again) {
		t.Errorf("another index: %v", err)
	}
}

// The list has the image of the packaged chart and the images of the whole matrix.
func TestMirrored(t *testing.T) {
	images, err := packaged(t, "awsmigrate", digest).Images()
	if err != nil {
		t.Fatal(err)
	}
	name, err := ImageName(filepath.Join(charts, "awsmigrate"))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{name + ":1.98.7@" + digest}, images); diff != "" {
		t.Errorf("the chart's images: want (-), got (+):\n%s", diff)
	}
	want := []string{name + ":1.98.7"}
	for minor := 22; minor <= 36; minor++ {
		tag, err := awsccm.ImageFor(fmt.Sprintf("v1.%d.1", minor))
		if err != nil {
			t.Fatal(err)
		}
		want = append(want, awsccm.DefaultRepository+":"+tag)
	}
	if diff := cmp.Diff(strings.Join(want, "\n")+"\n", Mirrored(images)); diff != "" {
		t.Errorf("want (-), got (+):\n%s", diff)
	}
}
