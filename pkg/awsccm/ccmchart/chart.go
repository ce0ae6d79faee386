package ccmchart

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"sort"
	"strings"

	"helm.sh/helm/v3/pkg/chart"
	"helm.sh/helm/v3/pkg/chart/loader"

	"github.com/awsmigrate/awsmigrate/charts"
	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

// maxChart is the maximum size in bytes of a downloaded chart. Upstream's has some 5 KB.
const maxChart = 4 << 20

// ownChart is the annotation in Chart.yaml that marks our chart.
const ownChart = "awsmigrate.io/chart"

// Load loads the chart to install: the embedded one if ref is empty, or else a folder, an
// archive, or an http(s) URL of an archive. It returns an error for a chart with another name,
// whose objects would replace nothing.
func Load(ctx context.Context, ref string, client *http.Client) (*chart.Chart, error) {
	ch, err := load(ctx, ref, client)
	if err != nil {
		return nil, &fault.Error{
			Class: fault.Usage, Reason: "BadChart", Object: "chart " + ref,
			Seen: "could not be loaded", Wanted: "a chart folder, a .tgz file or its http(s) URL",
			Fix: "correct --chart, or leave it out: a chart is built in", Err: err,
		}
	}
	if ch.Name() != wellknown.CCM {
		return nil, &fault.Error{
			Class: fault.Usage, Reason: "WrongChart", Object: "chart " + ref,
			Seen: "its name is " + ch.Name(), Wanted: wellknown.CCM,
		}
	}
	if !IsOurs(ch) {
		extend(ch)
	}
	return ch, nil
}

// IsOurs reports whether a chart is ours and not upstream's with the same name.
func IsOurs(ch *chart.Chart) bool {
	return ch.Metadata != nil && ch.Metadata.Annotations[ownChart] == "true"
}

func load(ctx context.Context, ref string, client *http.Client) (*chart.Chart, error) {
	switch {
	case ref == "":
		return embedded()
	case strings.HasPrefix(ref, "oci://"):
		return nil, fmt.Errorf("OCI references are not read; run helm pull %s and name the file", ref)
	case strings.HasPrefix(ref, "http://"), strings.HasPrefix(ref, "https://"):
		return download(ctx, ref, client)
	}
	if _, err := os.Stat(ref); err != nil {
		return nil, err
	}
	return loader.Load(ref)
}

func embedded() (*chart.Chart, error) {
	root, err := fs.Sub(charts.FS, charts.AWSCloudControllerManager)
	if err != nil {
		return nil, err
	}
	var files []*loader.BufferedFile
	err = fs.WalkDir(root, ".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		data, err := fs.ReadFile(root, path)
		files = append(files, &loader.BufferedFile{Name: path, Data: data})
		return err
	})
	if err != nil {
		return nil, err
	}
	return loader.LoadFiles(files)
}

func download(ctx context.Context, url string, client *http.Client) (*chart.Chart, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return nil, err
	}
	resp, err := client.Do(req)
	if err != nil {
		return nil, err
	}
	defer func() { _ = resp.Body.Close() }()
	if resp.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("GET %s: %s", url, resp.Status)
	}
	data, err := io.ReadAll(io.LimitReader(resp.Body, maxChart+1))
	if err != nil {
		return nil, fmt.Errorf("GET %s: %w", url, err)
	}
	if len(data) > maxChart {
		return nil, fmt.Errorf("GET %s: more than %d bytes", url, maxChart)
	}
	return loader.LoadArchive(bytes.NewReader(data))
}

// Pack returns the chart as an archive. It is deterministic: files are sorted by name and have no
// times or owners.
func Pack(ch *chart.Chart) ([]byte, error) {
	files := append([]*chart.File(nil), ch.Raw...)
	sort.Slice(files, func(i, j int) bool { return files[i].Name < files[j].Name })
	var out bytes.Buffer
	gz := gzip.NewWriter(&out)
	tw := tar.NewWriter(gz)
	for _, f := range files {
		header := &tar.Header{Name: ch.Name() + "/" + f.Name, Mode: 0o644, Size: int64(len(f.Data)), Format: tar.FormatUSTAR}
		if err := tw.WriteHeader(header); err != nil {
			return nil, fmt.Errorf("pack %s: %w", f.Name, err)
		}
		if _, err := tw.Write(f.Data); err != nil {
			return nil, fmt.Errorf("pack %s: %w", f.Name, err)
		}
	}
	if err := tw.Close(); err != nil {
		return nil, err
	}
	if err := gz.Close(); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}
