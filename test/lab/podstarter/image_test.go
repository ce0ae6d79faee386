package podstarter

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestImages(t *testing.T) {
	for _, tt := range []struct {
		config, problem string
		want            image
	}{
		{
			config: `{"os":"linux","config":{"User":"65534:65533","Env":["PATH=/bin"],"Entrypoint":["/bin/it","run"],"WorkingDir":"/work"}}`,
			want:   image{dir: "/work", env: []string{"PATH=/bin"}, words: []string{"/bin/it", "run"}, user: 65534, group: 65533},
		},
		{config: `{"config":{"User":"1:2","Entrypoint":["/it"]}}`, want: image{dir: "/", words: []string{"/it"}, user: 1, group: 2}},
		{config: `{"config":{"User":"1:2"}}`, problem: "no entrypoint"},
		{config: `{"config":{"User":"app","Entrypoint":["/it"]}}`, problem: `user "app", wanted two numbers`},
		{config: `{`, problem: "unexpected end"},
	} {
		folder := t.TempDir()
		if err := os.WriteFile(filepath.Join(folder, ConfigFile), []byte(tt.config), 0o600); err != nil {
			t.Fatal(err)
		}
		got, is, err := readImage(folder)
		if tt.problem != "" {
			if err == nil || !strings.Contains(err.Error(), tt.problem) {
				t.Errorf("%s: %v, wanted %q", tt.config, err, tt.problem)
			}
			continue
		}
		tt.want.root = filepath.Join(folder, RootFolder)
		if diff := cmp.Diff(tt.want, got, cmp.AllowUnexported(image{})); err != nil || !is || diff != "" {
			t.Errorf("%s: %t, %v, %s", tt.config, is, err, diff)
		}
	}
	if _, is, err := readImage(os.Args[0]); is || err != nil {
		t.Errorf("a program: %t, %v", is, err)
	}
	if _, _, err := readImage(filepath.Join(t.TempDir(), "absent")); err == nil {
		t.Error("a missing folder is taken for an image")
	}
}
