package oci

import (
	"bytes"
	"encoding/pem"
	"fmt"
	"runtime/debug"

	cdx "github.com/CycloneDX/cyclonedx-go"
	"golang.org/x/crypto/x509roots/fallback/bundle"

	"github.com/awsmigrate/awsmigrate/tools/release/internal/pack"
)

// Paths in the image, and its user.
const (
	programFolder = "usr/local/bin"
	rootsFile     = "etc/ssl/certs/ca-certificates.crt" // the first that Go looks for (crypto/x509/root_linux.go)
	user          = "65534"                             // the user of charts and Jobs
)

// base returns the files of the image besides the program. None is writable, and none belongs
// to the user.
func base(licences []pack.Entry) []pack.Entry {
	entries := []pack.Entry{
		{Path: "etc/passwd", Data: []byte("root:x:0:0:root:/:/sbin/nologin\nnobody:x:65534:65534:nobody:/:/sbin/nologin\n")}, // words:ok: the name of a user
		{Path: "etc/group", Data: []byte("root:x:0:\nnobody:x:65534:\n")},                                                    // words:ok: the name of a user
		{Path: rootsFile, Data: roots()},
	}
	for _, l := range licences {
		entries = append(entries, pack.Entry{Path: "licenses/" + l.Path, Data: l.Data})
	}
	return entries
}

// roots returns the certificate authorities that Mozilla trusts for servers without a
// condition, as the Go project publishes them. It omits authorities that are trusted only for
// certificates before a date, because a file cannot express that.
func roots() []byte {
	var out bytes.Buffer
	for root := range bundle.Roots() {
		if root.Constraint == nil {
			out.Write(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: root.Certificate}))
		}
	}
	return out.Bytes()
}

// RootsModule is the module that the certificate authorities come from, for a bill of
// materials: the one that was linked into this program.
func RootsModule(info *debug.BuildInfo) (cdx.Component, error) {
	const path = "golang.org/x/crypto/x509roots/fallback"
	for _, m := range info.Deps {
		if m.Path == path {
			return pack.Module(m.Path, m.Version), nil
		}
	}
	return cdx.Component{}, fmt.Errorf("this program does not say which %s it was built with", path)
}
