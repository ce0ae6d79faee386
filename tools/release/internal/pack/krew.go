package pack

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"

	"sigs.k8s.io/yaml"
)

// Platform is the platform of a binary, in Go's words.
type Platform struct{ OS, Arch string }

// String returns the platform as in names of files.
func (p Platform) String() string { return p.OS + "_" + p.Arch }

// Platforms returns all platforms of a release.
func Platforms() []Platform {
	return []Platform{{"linux", "amd64"}, {"linux", "arm64"}, {"darwin", "amd64"}, {"darwin", "arm64"}}
}

// Plugin holds the fields of a kubectl plugin's manifest, besides the archives.
type Plugin struct {
	Name, Home, Short, Description, Caveats, Binary string
	Version                                         Version
}

// krewPlugin is a manifest as krew reads it (kubernetes-sigs/krew:pkg/index/types.go).
type krewPlugin struct {
	APIVersion string            `json:"apiVersion"`
	Kind       string            `json:"kind"`
	Metadata   map[string]string `json:"metadata"`
	Spec       krewSpec          `json:"spec"`
}

type krewSpec struct {
	Version          string         `json:"version"`
	Homepage         string         `json:"homepage"`
	ShortDescription string         `json:"shortDescription"`
	Description      string         `json:"description"`
	Caveats          string         `json:"caveats"`
	Platforms        []krewPlatform `json:"platforms"`
}

type krewPlatform struct {
	Selector struct {
		MatchLabels map[string]string `json:"matchLabels"`
	} `json:"selector"`
	URI    string `json:"uri"`
	SHA256 string `json:"sha256"`
	Bin    string `json:"bin"`
}

// KrewManifest returns the manifest of a plugin with archives at these addresses.
func KrewManifest(plugin Plugin, archives map[Platform]Download) ([]byte, error) {
	manifest := krewPlugin{
		APIVersion: "krew.googlecontainertools.github.com/v1alpha2", Kind: "Plugin",
		Metadata: map[string]string{"name": plugin.Name},
		Spec: krewSpec{
			Version: plugin.Version.String(), Homepage: plugin.Home, ShortDescription: plugin.Short,
			Description: plugin.Description, Caveats: plugin.Caveats,
		},
	}
	for platform, archive := range archives {
		one := krewPlatform{URI: archive.Address, SHA256: Digest(archive.Data), Bin: plugin.Binary}
		one.Selector.MatchLabels = map[string]string{"os": platform.OS, "arch": platform.Arch}
		manifest.Spec.Platforms = append(manifest.Spec.Platforms, one)
	}
	slices.SortFunc(manifest.Spec.Platforms, func(a, b krewPlatform) int { return strings.Compare(a.URI, b.URI) })
	return yaml.Marshal(manifest)
}

// Download is a file with its future address.
type Download struct {
	Address string
	Data    []byte
}

// Digest returns the SHA-256 of data, in hexadecimal.
func Digest(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}
