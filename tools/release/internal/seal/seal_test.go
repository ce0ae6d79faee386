package seal

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"io/fs"
	"maps"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/sigstore/sigstore/pkg/cryptoutils"
)

// pair returns a key pair as `cosign generate-key-pair` makes it.
func pair(t *testing.T, password string) (private, public []byte) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	der, err := cryptoutils.MarshalPrivateKeyToEncryptedDER(key, cryptoutils.StaticPasswordFunc([]byte(password)))
	if err != nil {
		t.Fatal(err)
	}
	public, err = cryptoutils.MarshalPublicKeyToPEM(key.Public())
	if err != nil {
		t.Fatal(err)
	}
	return cryptoutils.PEMEncode(cryptoutils.EncryptedSigstorePrivateKeyPEMType, der), public
}

// signed returns a sealed release of three files.
func signed(t *testing.T, private []byte) fstest.MapFS {
	t.Helper()
	release := fstest.MapFS{"a.tar.gz": {Data: []byte("archive")}, "image/index.json": {Data: []byte("{}")}, "index.yaml": {Data: []byte("charts")}}
	sums, err := List(release)
	if err != nil {
		t.Fatal(err)
	}
	list := Format(sums)
	signature, err := Sign(list, private, func() []byte { return []byte("secret") })
	if err != nil {
		t.Fatal(err)
	}
	release[ListFile], release[SignatureFile] = &fstest.MapFile{Data: list}, &fstest.MapFile{Data: signature}
	return release
}

func flipped(data []byte) *fstest.MapFile {
	other := []byte(string(data))
	other[len(other)/2] ^= 1
	return &fstest.MapFile{Data: other}
}

// Verify refuses a changed byte, another key and an extra file, and names the problem.
func TestVerify(t *testing.T) {
	private, public := pair(t, "secret")
	_, stranger := pair(t, "other")
	tests := []struct {
		name    string
		change  func(fstest.MapFS)
		key     []byte
		refused string // or empty if it is accepted
		absent  int
	}{
		{"as it was made", func(fstest.MapFS) {}, public, "", 0},
		{"some of it", func(r fstest.MapFS) { delete(r, "image/index.json"); delete(r, "index.yaml") }, public, "", 2},
		{"signed without a key, too", func(r fstest.MapFS) { r[BundleFile] = &fstest.MapFile{Data: []byte("{}")} }, public, "", 0},
		{"a byte of a file", func(r fstest.MapFS) { r["a.tar.gz"] = flipped(r["a.tar.gz"].Data) }, public, "a.tar.gz has SHA-256", 0},
		{"a byte below a folder", func(r fstest.MapFS) { r["image/index.json"] = flipped(r["image/index.json"].Data) }, public, "image/index.json has SHA-256", 0},
		{"a byte of the list", func(r fstest.MapFS) { r[ListFile] = flipped(r[ListFile].Data) }, public, "not signed by this key", 0},
		{"a byte of the signature", func(r fstest.MapFS) { r[SignatureFile] = flipped(r[SignatureFile].Data) }, public, SignatureFile, 0},
		{"file and list changed", func(r fstest.MapFS) {
			r["a.tar.gz"] = flipped(r["a.tar.gz"].Data)
			delete(r, ListFile)
			sums, _ := List(r)
			r[ListFile] = &fstest.MapFile{Data: Format(sums)}
		}, public, "not signed by this key", 0},
		{"another key", func(fstest.MapFS) {}, stranger, "not signed by this key", 0},
		{"no key", func(fstest.MapFS) {}, []byte("text"), "public key", 0},
		{"a file too many", func(r fstest.MapFS) { r["b"] = &fstest.MapFile{} }, public, "b is not in", 0},
		{"no file of it", func(r fstest.MapFS) { delete(r, "a.tar.gz"); delete(r, "image/index.json"); delete(r, "index.yaml") }, public, "no file", 3},
		{"no list", func(r fstest.MapFS) { delete(r, ListFile) }, public, ListFile, 0},
		{"no signature", func(r fstest.MapFS) { delete(r, SignatureFile) }, public, SignatureFile, 0},
	}
	whole := signed(t, private) // once: opening a key takes a second by design
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			release := maps.Clone(whole)
			tt.change(release)
			seen, err := Verify(release, tt.key)
			if tt.refused == "" && (err != nil || len(seen.Verified) != 3-tt.absent || len(seen.Absent) != tt.absent) {
				t.Errorf("%+v, %v", seen, err)
			}
			if tt.refused != "" && (err == nil || !strings.Contains(err.Error(), tt.refused) && !strings.Contains(err.Error(), "not signed by this key")) {
				t.Errorf("refused by %v, wanted %q", err, tt.refused)
			}
		})
	}
}

func TestSignWantsThePassword(t *testing.T) {
	private, _ := pair(t, "secret")
	if _, err := Sign([]byte("list"), private, func() []byte { return []byte("other") }); err == nil {
		t.Error("a wrong password opened the key")
	}
}

func TestListRefusesLinksAndParseStrangePaths(t *testing.T) {
	if _, err := List(fstest.MapFS{"a": {Mode: fs.ModeSymlink}}); err == nil {
		t.Error("a link has a checksum")
	}
	digest := strings.Repeat("a", 64)
	for _, line := range []string{digest + "  ../a\n", digest + "  /a\n", digest + " a\n", "aa  a\n", digest + "  a\n" + digest + "  a\n"} {
		if sums, err := Parse([]byte(line)); err == nil {
			t.Errorf("%q was read as %v", line, sums)
		}
	}
}
