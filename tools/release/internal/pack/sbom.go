package pack

import (
	"bytes"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	cdx "github.com/CycloneDX/cyclonedx-go"
)

// Subject is the subject of a bill of materials.
type Subject struct {
	Type       cdx.ComponentType
	Name, PURL string
	SHA256     string // in hexadecimal; empty if the name has the digest
	Version    Version
	At         time.Time // of the commit
	License    string    // SPDX
	Platform   string    // such as linux/amd64; empty for several platforms
}

// Modules returns the modules that Go linked into a program, as `go version -m` lists them. It
// includes the standard library, omits the program itself, and applies replacements.
func Modules(builds ...*debug.BuildInfo) []cdx.Component {
	found := map[string]cdx.Component{}
	for _, info := range builds {
		standard := strings.TrimPrefix(info.GoVersion, "go")
		found["std"] = cdx.Component{BOMRef: "pkg:golang/std@" + standard, Type: cdx.ComponentTypeLibrary, Name: "std", Version: standard, PackageURL: "pkg:golang/std@" + standard}
		for _, m := range info.Deps {
			if m.Replace != nil {
				m = m.Replace
			}
			c := module(m.Path, m.Version)
			if m.Sum != "" {
				c.Properties = &[]cdx.Property{{Name: "golang:sum", Value: m.Sum}}
			}
			found[c.BOMRef] = c
		}
	}
	all := make([]cdx.Component, 0, len(found))
	for _, c := range found {
		all = append(all, c)
	}
	sortComponents(all)
	return all
}

// Module returns one module as a component.
func Module(path, version string) cdx.Component { return module(path, version) }

func module(path, version string) cdx.Component {
	purl := "pkg:golang/" + path + "@" + strings.ReplaceAll(version, "+", "%2B")
	return cdx.Component{BOMRef: purl, Type: cdx.ComponentTypeLibrary, Name: path, Version: version, PackageURL: purl}
}

func sortComponents(all []cdx.Component) {
	slices.SortFunc(all, func(a, b cdx.Component) int { return strings.Compare(a.BOMRef, b.BOMRef) })
}

// BillOfMaterials returns the CycloneDX document of a subject and its parts. It has no serial
// number, because a serial number must differ each time.
func BillOfMaterials(subject Subject, parts []cdx.Component) ([]byte, error) {
	parts = slices.Clone(parts)
	sortComponents(parts)
	refs := make([]string, 0, len(parts))
	for _, c := range parts {
		refs = append(refs, c.BOMRef)
	}
	bom := cdx.NewBOM()
	bom.SerialNumber = ""
	of := subject.component()
	bom.Metadata = &cdx.Metadata{Timestamp: subject.At.UTC().Format(time.RFC3339), Component: &of}
	bom.Components = &parts
	bom.Dependencies = &[]cdx.Dependency{{Ref: of.BOMRef, Dependencies: &refs}}
	var out bytes.Buffer
	err := cdx.NewBOMEncoder(&out, cdx.BOMFileFormatJSON).SetPretty(true).SetEscapeHTML(false).EncodeVersion(bom, cdx.SpecVersion1_6)
	return out.Bytes(), err
}

func (s Subject) component() cdx.Component {
	c := cdx.Component{BOMRef: s.PURL, Type: s.Type, Name: s.Name, Version: s.Version.String(), PackageURL: s.PURL,
		Licenses: &cdx.Licenses{{License: &cdx.License{ID: s.License}}}}
	if s.SHA256 != "" {
		c.Hashes = &[]cdx.Hash{{Algorithm: cdx.HashAlgoSHA256, Value: s.SHA256}}
	}
	if s.Platform != "" {
		c.Properties = &[]cdx.Property{{Name: "platform", Value: s.Platform}}
	}
	return c
}
