package node

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
)

func TestExpand(t *testing.T) {
	env := &variables{values: map[string]string{}}
	env.set("A", "1")
	for text, want := range map[string]string{
		"$(A)": "1", "x$(A)y$(A)": "x1y1", "$(B)": "$(B)", "$$(A)": "$(A)", "$A": "$A", "$": "$", "$(A": "$(A",
	} {
		if got := expand(text, env); got != want {
			t.Errorf("%q: %q, wanted %q", text, got, want)
		}
	}
}

func TestMountsAreRewrittenInArguments(t *testing.T) {
	dir := t.TempDir()
	worker := &podWorker{dir: dir}
	v := &podVolumes{w: worker, dirs: map[string]string{"config": filepath.Join(dir, "volumes", "config")}}
	if err := writeFile(filepath.Join(dir, "volumes", "config", "cloud.conf"), "text"); err != nil {
		t.Fatal(err)
	}
	container := corev1.Container{Name: "c", VolumeMounts: []corev1.VolumeMount{{Name: "config", MountPath: "/etc/aws/"}}}
	root, err := v.mount(container)
	if err != nil {
		t.Fatal(err)
	}
	got := root.arguments([]string{"--cloud-config=/etc/aws/cloud.conf", "/etc/aws", "--x=/etc/awsome", "--v=2"})
	if diff := cmp.Diff([]string{"--cloud-config=" + root.dir + "/etc/aws/cloud.conf", root.dir + "/etc/aws", "--x=/etc/awsome", "--v=2"}, got); diff != "" {
		t.Error(diff)
	}
	if raw, err := os.ReadFile(filepath.Join(root.dir, "etc/aws/cloud.conf")); err != nil || string(raw) != "text" {
		t.Errorf("through the mount path: %q, %v", raw, err)
	}
	if _, err := v.mount(container); err != nil {
		t.Errorf("a restarted container cannot be mounted again: %v", err)
	}
	container.VolumeMounts[0].Name = "none"
	if _, err := v.mount(container); err == nil {
		t.Error("a mount of a volume that is not there passed")
	}
}

func TestEntrypoint(t *testing.T) {
	ccm := program{kind: awsCCM, arg0: awsCCM}
	if got, err := entrypoint(corev1.Container{Command: []string{"/bin/aws-cloud-controller-manager", "--v=2"}}, ccm); err != nil || len(got) != 1 {
		t.Errorf("%v, %v", got, err)
	}
	if _, err := entrypoint(corev1.Container{Command: []string{"sh"}}, ccm); err == nil {
		t.Error("an image runs a command that it does not have")
	}
}
