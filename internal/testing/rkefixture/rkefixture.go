// Package rkefixture has RKE clusters for tests of the product: files and the state
// that rke v1.5.9 wrote for them (applied/README.md).
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

// Names are those of the clusters.
func Names() []string { return []string{"plain", "rich", "generated", "secured"} }

// File is one of a cluster's: plain.yml, or plain.rkestate.
func File(t testing.TB, name string) []byte {
	t.Helper()
	text, err := files.ReadFile(path.Join("applied", name))
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// Applied is a cluster just made by `rke up` from its file, with the images that this
// rke takes.
func Applied(t testing.TB, name string) rkestate.Facts {
	t.Helper()
	return AppliedAs(t, name, string(File(t, name+".yml")))
}

// AppliedAs is the same cluster with another text of its cluster.yml.
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

// Images are those of rke v1.5.9 for v1.26.9-rancher1-1, by repository.
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
