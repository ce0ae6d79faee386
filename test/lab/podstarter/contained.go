package podstarter

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/ptr"

	"github.com/awsmigrate/awsmigrate/test/lab/container"
	"github.com/awsmigrate/awsmigrate/test/lab/proc"
)

// containerSpec returns the container of an image as it was built: it sees that image's root file
// system with its volumes mounted, and client-go finds its service account at the usual path.
func (p *pod) containerSpec(c corev1.Container, i image, env []string, volumes map[string]string) (proc.Spec, error) {
	self, err := os.Executable()
	if err != nil {
		return proc.Spec{}, err
	}
	security := ptr.Deref(c.SecurityContext, corev1.SecurityContext{})
	spec := container.Spec{
		Root: i.root, ReadOnly: ptr.Deref(security.ReadOnlyRootFilesystem, false), Dir: cmp.Or(c.WorkingDir, i.dir),
		Args: slices.Concat(i.words, c.Args), Env: slices.Concat([]string{"HOME=/"}, i.env, env),
	}
	spec.User, spec.Group = p.user(c, i)
	if pod := ptr.Deref(p.spec.Spec.SecurityContext, corev1.PodSecurityContext{}); ptr.Deref(pod.RunAsNonRoot, false) && spec.User == 0 {
		return proc.Spec{}, fmt.Errorf("container %s has runAsNonRoot and image will run as root", c.Name)
	}
	for _, m := range c.VolumeMounts {
		spec.Mounts = append(spec.Mounts, container.Mount{Source: volumes[m.Name], Target: m.MountPath, ReadOnly: m.ReadOnly})
	}
	file := filepath.Join(p.dir, "container-"+c.Name+".json")
	return proc.Spec{Path: self, Args: []string{container.Command, file}}, spec.Write(file)
}

// user returns the user that a container runs as: by the container, its pod, or its image, in
// this order.
func (p *pod) user(c corev1.Container, i image) (user, group int) {
	user, group = i.user, i.group
	if pod := p.spec.Spec.SecurityContext; pod != nil {
		user, group = int(ptr.Deref(pod.RunAsUser, int64(user))), int(ptr.Deref(pod.RunAsGroup, int64(group)))
	}
	if own := c.SecurityContext; own != nil {
		user, group = int(ptr.Deref(own.RunAsUser, int64(user))), int(ptr.Deref(own.RunAsGroup, int64(group)))
	}
	return user, group
}
