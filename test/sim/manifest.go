package sim

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"errors"
	"io"
	"slices"
	"strings"
	"time"

	"helm.sh/helm/v3/pkg/chart/loader"
	"helm.sh/helm/v3/pkg/chartutil"
	"helm.sh/helm/v3/pkg/engine"
	"helm.sh/helm/v3/pkg/releaseutil"
	"k8s.io/apimachinery/pkg/util/yaml"
	sigsyaml "sigs.k8s.io/yaml"
)

// deploy acts as RKE2's deploy controller and helm controller: it installs the HelmChart documents
// of the additionalManifest, and removes those that are missing in it. The Job takes no time, and
// no release is recorded.
func (w *World) deploy(manifest string) {
	if manifest == w.rancher.deployed {
		return
	}
	before, after := charts(w.rancher.deployed), charts(manifest)
	w.rancher.deployed = manifest
	for _, name := range sortedKeys(before) {
		if after[name] == nil {
			w.down.remove(key{"helmcharts.helm.cattle.io", kubeSystem, name})
			w.down.remove(key{"jobs.batch", kubeSystem, "helm-install-" + name})
			for _, o := range w.render(before[name]) {
				w.down.remove(keyOf(w.down, o))
			}
		}
	}
	for _, name := range sortedKeys(after) {
		w.down.put("helmcharts.helm.cattle.io", after[name], w.now)
		w.down.put("jobs.batch", object{"apiVersion": "batch/v1", "kind": "Job", "metadata": object{"name": "helm-install-" + name, "namespace": kubeSystem},
			"status": object{"conditions": []any{object{"type": "Complete", "status": "True", "lastTransitionTime": w.now.UTC().Format(time.RFC3339)}}}}, w.now)
		wanted := w.render(after[name])
		for _, o := range wanted {
			w.down.put(keyOf(w.down, o).resource, o, w.now)
		}
		if before[name] == nil {
			continue
		}
		for _, o := range w.render(before[name]) {
			k := keyOf(w.down, o)
			if !slices.ContainsFunc(wanted, func(o object) bool { return keyOf(w.down, o) == k }) {
				w.down.remove(k)
			}
		}
	}
}

// charts returns the HelmChart documents of a manifest by name.
func charts(manifest string) map[string]object {
	found := map[string]object{}
	for _, o := range documents(manifest) {
		if text(o, "kind") == "HelmChart" {
			found[text(o, "metadata", "name")] = o
		}
	}
	return found
}

func documents(manifest string) []object {
	var found []object
	reader := yaml.NewYAMLReader(bufio.NewReader(strings.NewReader(manifest)))
	for {
		doc, err := reader.Read()
		if errors.Is(err, io.EOF) {
			return found
		}
		if err != nil {
			panic(err)
		}
		raw, err := sigsyaml.YAMLToJSON(doc)
		if err != nil {
			panic(err)
		}
		if o, ok := decoded(raw).(object); ok && len(o) > 0 {
			found = append(found, o)
		}
	}
}

// render returns the objects of a HelmChart.
func (w *World) render(helmChart object) []object {
	archive, err := base64.StdEncoding.DecodeString(text(helmChart, "spec", "chartContent"))
	if err != nil {
		panic(err)
	}
	ch, err := loader.LoadArchive(bytes.NewReader(archive))
	if err != nil {
		panic(err)
	}
	values, err := chartutil.ReadValues([]byte(text(helmChart, "spec", "valuesContent")))
	if err != nil {
		panic(err)
	}
	name := text(helmChart, "metadata", "name")
	all, err := chartutil.ToRenderValues(ch, values, chartutil.ReleaseOptions{Name: name, Namespace: kubeSystem, IsInstall: true}, nil)
	if err != nil {
		panic(err)
	}
	files, err := engine.Render(ch, all)
	if err != nil {
		panic(err)
	}
	var found []object
	for _, file := range sortedKeys(files) {
		if !strings.HasSuffix(file, ".yaml") {
			continue
		}
		manifests := releaseutil.SplitManifests(files[file])
		for _, one := range sortedKeys(manifests) {
			for _, o := range documents(manifests[one]) {
				meta := mapAt(o, "metadata")
				mapAt(meta, "annotations")["meta.helm.sh/release-name"] = name
				mapAt(meta, "annotations")["meta.helm.sh/release-namespace"] = kubeSystem
				mapAt(meta, "labels")["app.kubernetes.io/managed-by"] = "Helm"
				found = append(found, o)
			}
		}
	}
	return found
}

// keyOf returns the key of an object.
func keyOf(s *server, o object) key {
	for _, k := range s.kinds {
		if k.name != text(o, "kind") || k.apiVersion() != text(o, "apiVersion") {
			continue
		}
		if k.cluster {
			return key{k.resource(), "", text(o, "metadata", "name")}
		}
		if text(o, "metadata", "namespace") == "" {
			mapAt(o, "metadata")["namespace"] = kubeSystem
		}
		return key{k.resource(), text(o, "metadata", "namespace"), text(o, "metadata", "name")}
	}
	panic("no server has the kind " + text(o, "kind"))
}
