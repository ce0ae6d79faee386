package rkecli

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Images are listed by repository; log lines between them are ignored.
func TestImagesOf(t *testing.T) {
	out := "time=\"2026-11-22\" level=info msg=\"Generating images list\"\nrancher/rke-tools:v0.1.96\n  mirror:5000/rancher/hyperkube:v1.26.9-rancher1 \n\nmirror:5000/untagged\nuntagged\nempty:\nquoted\":v1\nlevel info:x\n"
	want := map[string]string{"rancher/rke-tools": "rancher/rke-tools:v0.1.96", "mirror:5000/rancher/hyperkube": "mirror:5000/rancher/hyperkube:v1.26.9-rancher1"}
	if d := cmp.Diff(want, imagesOf([]byte(out))); d != "" {
		t.Error(d)
	}
	for image, want := range map[string][2]string{"a:b": {"a", "b"}, "a": {"a", ""}, "a:5000/b": {"a:5000/b", ""}, "a:5000/b:c": {"a:5000/b", "c"}, ":b": {"", "b"}, "a:": {"a", ""}} {
		repository, tag, ok := cutTag(image)
		if repository != want[0] || tag != want[1] || ok != (image != "a" && image != "a:5000/b") {
			t.Errorf("%q: %q, %q, %t", image, repository, tag, ok)
		}
	}
	for text, want := range map[string]int{"rc9": 9, "rc.10": 10, "rc": 0, "beta1": 0, "rc9.1": 0, "": 0, "rc99999999999999999999": 0} {
		if got := candidate(text); got != want {
			t.Errorf("%q: %d", text, got)
		}
	}
}
