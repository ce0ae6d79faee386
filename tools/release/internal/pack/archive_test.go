package pack

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func moment() time.Time { return time.Date(2026, 11, 24, 5, 0, 0, 0, time.UTC) }

// members returns the members of an archive, a line each.
func members(t *testing.T, archive []byte) []string {
	t.Helper()
	unzipped, err := gzip.NewReader(bytes.NewReader(archive))
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for r := tar.NewReader(unzipped); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return lines
		}
		if err != nil {
			t.Fatal(err)
		}
		data, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		lines = append(lines, fmt.Sprintf("%s %o %d:%d %s%s %s", h.Name, h.Mode, h.Uid, h.Gid, h.ModTime.UTC().Format(time.DateTime), h.Linkname, data))
	}
}

// An archive depends neither on the order of its files nor on the time zone.
func TestTarGzIsTheSame(t *testing.T) {
	entries := []Entry{
		{Path: "a/b/tool", Executable: true, Data: []byte("#!")}, {Path: "a/link", Link: "b/tool"}, {Path: "a/b.txt", Data: []byte("text")},
	}
	first, err := TarGz(entries, Usual(), moment())
	if err != nil {
		t.Fatal(err)
	}
	slices.Reverse(entries)
	second, err := TarGz(entries, Usual(), moment().In(time.FixedZone("east", 14*3600)))
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(first, second) {
		t.Error("the same files in another order make another archive")
	}
	const at = "0:0 2026-11-24 05:00:00"
	want := []string{"a/ 755 " + at + " ", "a/b.txt 644 " + at + " text", "a/b/ 755 " + at + " ", "a/b/tool 755 " + at + " #!", "a/link 777 " + at + "b/tool "}
	if diff := cmp.Diff(want, members(t, first)); diff != "" {
		t.Errorf("want (-), got (+):\n%s", diff)
	}
	other, err := TarGz(entries, ReadOnly(), moment())
	if err != nil {
		t.Fatal(err)
	}
	if got := members(t, other)[3]; got != "a/b/tool 555 "+at+" #!" {
		t.Errorf("read-only: %s", got)
	}
}

func TestParseVersion(t *testing.T) {
	for tag, number := range map[string]string{"v0.1.0": "0.1.0", "v1.2.3-rc.1": "1.2.3-rc.1"} {
		v, err := ParseVersion(tag)
		if err != nil || v.String() != tag || v.Number() != number || v.Prerelease() != (tag == "v1.2.3-rc.1") {
			t.Errorf("%s: %v, %v", tag, v, err)
		}
	}
	for _, tag := range []string{"", "0.1.0", "v0.1", "vv1.0.0", "v0.1.0+build", "v2.0.0", "latest"} {
		if v, err := ParseVersion(tag); err == nil {
			t.Errorf("%q was taken as %s", tag, v)
		}
	}
}
