// Package rkefixture provides RKE clusters for tests of the product: cluster files and the
// states that rke v1.5.9 wrote for them (applied/README.md).
package rkefixture

import (
	"embed"
	"path"
	"strings"
	"testing"

	"github.com/awsmigrate/awsmigrate/pkg/rke/clusterfile"
	"github.com/awsmigrate/awsmigrate/pkg/rke/rkecli"
	"github.com/awsmigrate/awsmigrate/pkg/rke/rkestate"
	"github.com/awsmigrate/awsmigrate/pkg/verify"
)

//go:embed applied
var files embed.FS

// Names returns the names of the clusters.
func Names() []string { return []string{"plain", "rich", "generated", "secured"} }

// File returns a file of a cluster, for example plain.yml or plain.rkestate.
func File(t testing.TB, name string) []byte {
	t.Helper()
	text, err := files.ReadFile(path.Join("applied", name))
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// Applied returns a cluster right after `rke up` with its file, with the images of that rke
// version.
func Applied(t testing.TB, name string) rkestate.Facts {
	t.Helper()
	return AppliedAs(t, name, string(File(t, name+".yml")))
}

// AppliedAs returns the same cluster with source as its cluster.yml.
func AppliedAs(t testing.TB, name, source string) rkestate.Facts {
	t.Helper()
	state, err := rkestate.Parse("Secret kube-system/full-cluster-state", File(t, name+".rkestate"))
	if err != nil {
		t.Fatal(err)
	}
	file, err := clusterfile.Parse(name+".yml", []byte(source))
	if err != nil {
		t.Fatal(err)
	}
	f := rkestate.Facts{Path: name + ".yml", File: file, Config: file.Config(), State: state, Local: verify.Got(state)}
	f.Binary = verify.Got(rkecli.Binary{Path: "/usr/bin/rke", Version: "v1.5.9", Images: map[string]map[string]string{
		"v1.26.9-rancher1-1": Images(t)}})
	return f
}

// Images returns, by repository, the images of rke v1.5.9 for v1.26.9-rancher1-1.
func Images(t testing.TB) map[string]string {
	t.Helper()
	state, err := rkestate.Parse("plain", File(t, "plain.rkestate"))
	if err != nil {
		t.Fatal(err)
	}
	images := map[string]string{}
	for _, image := range state.Current.Config.SystemImages {
		images[image[:strings.LastIndexByte(image, ':')]] = image
	}
	return images
}
