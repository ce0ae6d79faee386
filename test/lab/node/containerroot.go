package node

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"sort"
	"strings"

	corev1 "k8s.io/api/core/v1"
)

// containerRoot represents a container's "/": a folder with a link to the volume at every mount
// path.
type containerRoot struct {
	dir    string
	mounts []string // mount paths, longest first
}

// mount builds the root of a container. Existing links are kept.
func (v *podVolumes) mount(container corev1.Container) (containerRoot, error) {
	root := containerRoot{dir: filepath.Join(v.w.dir, "root", container.Name)}
	mounts := append([]corev1.VolumeMount{}, container.VolumeMounts...)
	sort.Slice(mounts, func(i, j int) bool { return len(mounts[i].MountPath) < len(mounts[j].MountPath) })
	for _, m := range mounts {
		dir, ok := v.dirs[m.Name]
		if !ok {
			return root, fmt.Errorf("container %s mounts volume %s, which the pod does not have", container.Name, m.Name)
		}
		target, link := filepath.Join(dir, m.SubPath), filepath.Join(root.dir, m.MountPath)
		if err := os.MkdirAll(filepath.Dir(link), 0o755); err != nil {
			return root, err
		}
		if _, err := os.Lstat(link); err == nil {
			continue
		}
		if err := os.Symlink(target, link); err != nil {
			return root, err
		}
	}
	for _, m := range mounts {
		root.mounts = append(root.mounts, path.Clean(m.MountPath))
	}
	sort.Slice(root.mounts, func(i, j int) bool { return len(root.mounts[i]) > len(root.mounts[j]) })
	return root, os.MkdirAll(root.dir, 0o755)
}

// arguments replaces values below a mount path by their real locations.
func (r containerRoot) arguments(args []string) []string {
	out := make([]string, len(args))
	for i, argument := range args {
		out[i] = r.argument(argument)
	}
	return out
}

func (r containerRoot) argument(argument string) string {
	flag, value, given := strings.Cut(argument, "=")
	if given {
		flag += "="
	} else {
		flag, value = "", argument
	}
	for _, mount := range r.mounts {
		if value == mount || strings.HasPrefix(value, mount+"/") {
			return flag + filepath.Join(r.dir, value)
		}
	}
	return argument
}
