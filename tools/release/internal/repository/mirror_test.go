package repository

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"helm.sh/helm/v3/pkg/chartutil"
	"helm.sh/helm/v3/pkg/engine"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/yaml"

	"github.com/awsmigrate/awsmigrate/internal/job"
	"github.com/awsmigrate/awsmigrate/pkg/awsccm"
	"github.com/awsmigrate/awsmigrate/pkg/awsccm/ccmchart"
	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

// mirror is a registry on a site without Internet access.
const mirror = "registry.example/"

// everything holds values with which the controller's chart renders every object, except the
// hook that an upgrade adds depending on the server.
const everything = "mode: migrate, replicas: 2, networkPolicy: {enabled: true}, userRoles: {create: true}, serviceMonitor: {enabled: true}, prometheusRule: {enabled: true}," +
	"grafanaDashboard: {enabled: true}, additionalTrustedCAs: true, proxy: 'http://proxy:3128', access: {clusters: [prod], rke1: [c-7kq2x], secrets: [cloud]}"

// imagesOf returns the images of all objects that a chart renders with some values.
func imagesOf(t *testing.T, c Chart, values string) []string {
	t.Helper()
	var given map[string]any
	if err := yaml.Unmarshal([]byte("{"+values+"}"), &given); err != nil {
		t.Fatal(err)
	}
	server := chartutil.DefaultCapabilities.Copy()
	server.APIVersions = append(server.APIVersions, "monitoring.coreos.com/v1")
	all, err := chartutil.ToRenderValues(c.Chart, given, chartutil.ReleaseOptions{Name: c.Name(), Namespace: "default", IsUpgrade: true}, server)
	if err != nil {
		t.Fatal(err)
	}
	texts, err := engine.Render(c.Chart, all)
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]bool{}
	for name, text := range texts {
		for document := range strings.SplitSeq(text, "\n---") {
			var object any
			if err := yaml.Unmarshal([]byte(document), &object); err != nil && !strings.HasSuffix(name, ".txt") {
				t.Fatal(err)
			}
			collect(object, found)
		}
	}
	return slices.Sorted(maps.Keys(found))
}

// The list has the images of the charts with any option, also from a mirror. Every line of the
// list is an image of a chart.
func TestListIsWhatIsAskedFor(t *testing.T) {
	asked := map[string]bool{}
	ask := func(images ...string) {
		for _, image := range images {
			byTag, _, _ := strings.Cut(image, "@")
			asked[byTag] = true
		}
	}
	app, definitions := packaged(t, "awsmigrate", digest), packaged(t, "awsmigrate-crd", "")
	ask(imagesOf(t, definitions, "")...)
	here := imagesOf(t, app, everything)
	ask(here...)
	var mirrored []string
	for _, image := range here {
		mirrored = append(mirrored, mirror+image)
	}
	if diff := cmp.Diff(mirrored, imagesOf(t, app, everything+", global: {cattle: {systemDefaultRegistry: "+mirror+"}}")); diff != "" {
		t.Errorf("from a mirror: want (-), got (+):\n%s", diff)
	}
	for minor := 20; minor <= 40; minor++ {
		for _, image := range installed(t, ccmchart.Inputs{KubernetesVersion: fmt.Sprintf("v1.%d.1+rke2r1", minor)}) {
			ask(image)
			named := mirror + strings.TrimPrefix(image, "registry.k8s.io/")
			if got := installed(t, ccmchart.Inputs{KubernetesVersion: fmt.Sprintf("v1.%d.1+rke2r1", minor), Image: named}); !slices.Equal(got, []string{named}) {
				t.Errorf("from a mirror: %q, want %s", got, named)
			}
		}
	}
	ships, err := app.Images()
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.Split(strings.TrimSpace(Mirrored(ships)), "\n"), slices.Sorted(maps.Keys(asked))); diff != "" {
		t.Errorf("in the list (-), asked for (+):\n%s", diff)
	}
}

// installed returns the images of the CCM in a migration, or nil for an unsupported version.
func installed(t *testing.T, in ccmchart.Inputs) []string {
	t.Helper()
	if _, err := awsccm.ImageFor(in.KubernetesVersion); err != nil {
		return nil
	}
	in.Distribution, in.LeaderMigration = wellknown.RKE2, true
	out, err := ccmchart.Values(in)
	if err != nil {
		t.Fatal(err)
	}
	ch, err := ccmchart.Load(t.Context(), "", nil)
	if err != nil {
		t.Fatal(err)
	}
	objects, err := ccmchart.Render(ch, out.Values, in.KubernetesVersion)
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]bool{}
	for _, object := range objects {
		collect(object.Object, found)
	}
	return slices.Sorted(maps.Keys(found))
}

// A printed Job has the given image and no other.
func TestPrintedJobAsksForOneImage(t *testing.T) {
	const image = mirror + "awsmigrate/awsmigrate:1.98.7"
	for _, o := range []job.Options{
		{Distribution: wellknown.RKE2, Cluster: "prod", Namespace: "fleet-default", Image: image, Plan: []byte("{}"), AWSSecret: "keys", DownstreamSecret: "kubeconfig", Undo: true},
		{Distribution: wellknown.RKE, Cluster: "c-7kq2x", Namespace: "fleet-default", Image: image},
	} {
		found := map[string]bool{}
		for _, object := range job.Objects(o) {
			fields, err := runtime.DefaultUnstructuredConverter.ToUnstructured(object)
			if err != nil {
				t.Fatal(err)
			}
			collect(fields, found)
		}
		if got := slices.Sorted(maps.Keys(found)); !slices.Equal(got, []string{image}) {
			t.Errorf("%s: %q", o.Distribution, got)
		}
	}
}

// Every template takes its image from the helper, including the hook that only an upgrade on a
// server renders.
func TestTemplatesHaveOneWayToAnImage(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(charts, "awsmigrate*", "templates", "*"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%v, %v", files, err)
	}
	seen := 0
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, line := range regexp.MustCompile(`(?m)^\s*(?:- )?image: .*$`).FindAllString(string(text), -1) {
			seen++
			if !regexp.MustCompile(`image: \{\{ include "awsmigrate\.image" \$?(root|\.)? \| quote \}\}$`).MatchString(line) {
				t.Errorf("%s: %s", filepath.Base(file), line)
			}
		}
	}
	if seen != 2 {
		t.Errorf("%d containers in the templates, want those of the controller and the hook", seen)
	}
}
