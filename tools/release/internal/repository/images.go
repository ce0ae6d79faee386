package repository

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"helm.sh/helm/v3/pkg/chart/loader"
	"helm.sh/helm/v3/pkg/chartutil"
	"helm.sh/helm/v3/pkg/engine"
	"sigs.k8s.io/yaml"

	"github.com/awsmigrate/awsmigrate/pkg/awsccm"
)

// ImageName returns the repository of a chart's image from its values.
func ImageName(dir string) (string, error) {
	found, err := loader.LoadDir(dir)
	if err != nil {
		return "", fmt.Errorf("chart %s: %w", dir, err)
	}
	image, _ := found.Values["image"].(map[string]any)
	name, text := image["repository"].(string)
	if !text || name == "" {
		return "", fmt.Errorf("chart %s: values.yaml has no image.repository", dir)
	}
	return name, nil
}

// Images returns the images of the containers that a chart renders with its default values, in
// order.
func (c Chart) Images() ([]string, error) {
	values, err := chartutil.ToRenderValues(c.Chart, nil, chartutil.ReleaseOptions{Name: c.Name(), Namespace: "default", IsInstall: true}, chartutil.DefaultCapabilities)
	if err != nil {
		return nil, fmt.Errorf("values of %s: %w", c.Name(), err)
	}
	texts, err := engine.Render(c.Chart, values)
	if err != nil {
		return nil, fmt.Errorf("render %s: %w", c.Name(), err)
	}
	found := map[string]bool{}
	for name, text := range texts {
		if strings.HasSuffix(name, ".txt") {
			continue
		}
		for document := range strings.SplitSeq(text, "\n---") {
			var object any
			if err := yaml.Unmarshal([]byte(document), &object); err != nil {
				return nil, fmt.Errorf("%s: %w", name, err)
			}
			collect(object, found)
		}
	}
	return slices.Sorted(maps.Keys(found)), nil
}

// collect finds the images of all containers, in pods and in pod templates.
func collect(in any, found map[string]bool) {
	switch value := in.(type) {
	case map[string]any:
		for key, inner := range value {
			if image, text := inner.(string); text && key == "image" {
				found[image] = true
			}
			collect(inner, found)
		}
	case []any:
		for _, inner := range value {
			collect(inner, found)
		}
	}
}

// Mirrored returns the images that a mirror needs for a chart and for every migration. It has
// one image per line, by its tag, for the scripts that fill Rancher's private registries.
func Mirrored(controllers []string) string {
	lines := map[string]bool{}
	for _, image := range controllers {
		byTag, _, _ := strings.Cut(image, "@")
		lines[byTag] = true
	}
	for _, tag := range awsccm.ImageTags() {
		lines[awsccm.Image{Repository: awsccm.DefaultRepository, Tag: tag}.String()] = true
	}
	return strings.Join(slices.Sorted(maps.Keys(lines)), "\n") + "\n"
}
