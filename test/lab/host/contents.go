package host

import (
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
)

// The lab's programs on a host, in the folder of the lab's binaries.
const (
	toolsProgram      = "hosttools"
	kubeletProgram    = "kubelet-v1.26.13"
	proxyProgram      = "kube-proxy-v1.26.13"
	rkeProgram        = "rke-v1.5.9"
	componentsProgram = "components" // etcd, API server, controller manager, scheduler, kubectl, helm-controller
	ccmProgram        = "ccm-v1.26.0"
)

// RKEVersion is the release of the real rke.
const RKEVersion = "v1.5.9"

// Version is the Kubernetes version of the images, as rke v1.5.9 names them in its own metadata.
const Version = "v1.26.13-rancher1-1"

// pauseImage holds the network namespace of a pod.
const pauseImage = "rancher/mirrored-pause:3.7"

func (h *Hosts) allImages(ctx context.Context) ([]image, error) {
	if h.RKE2 {
		return h.imagesRKE2(ctx)
	}
	return images(ctx, h.Binaries)
}

// images returns the images that rke v1.5.9 wants for Version, and that of the cloud controller
// manager, of which the lab has the first release.
func images(ctx context.Context, binaries string) ([]image, error) {
	b := builder{ctx: ctx, binaries: binaries}
	path := imageConfig{Env: []string{"PATH=/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"}}
	tools := image{name: "rancher/rke-tools:v0.1.96", config: path, files: append(b.busybox(), b.tools()...)}
	tools.config.Volumes = map[string]struct{}{"/opt/rke-tools": {}}
	tools.config.Cmd = []string{"/bin/sh"}
	all := []image{
		tools,
		{name: "rancher/hyperkube:v1.26.13-rancher1", config: path, files: append(b.busybox(), b.kubernetes()...)},
		{name: "rancher/mirrored-coreos-etcd:v3.5.10", config: path, files: append(b.busybox(), b.program("/usr/local/bin/etcd", componentsProgram))},
		b.pause(pauseImage),
		b.ccm("v1.26.14"),
	}
	return all, b.err
}

func (b *builder) pause(name string) image {
	return image{name: name, config: imageConfig{Entrypoint: []string{"/pause"}}, files: []imageFile{b.program("/pause", toolsProgram)}, pods: true}
}

// ccm is the cloud controller manager under a version's name. roots are further files of its image.
func (b *builder) ccm(version string, roots ...imageFile) image {
	return image{
		name: "registry.k8s.io/provider-aws/cloud-controller-manager:" + version, config: imageConfig{Entrypoint: []string{"/bin/aws-cloud-controller-manager"}},
		files: append([]imageFile{b.program("/bin/aws-cloud-controller-manager", ccmProgram), {path: "/tmp", mode: 0o1777}}, roots...), pods: true,
	}
}

// builder collects files of images, and the first error.
type builder struct {
	ctx      context.Context // of one call of images
	binaries string
	err      error
}

func (b *builder) program(path, name string) imageFile {
	return imageFile{path: path, source: filepath.Join(b.binaries, name), mode: 0o755}
}

// tools are the programs of rke-tools. The shell is bash, because rke's commands need its `echo -e`
// and an nc that is not built in.
func (b *builder) tools() []imageFile {
	out := append(b.dynamic("/bin/bash"), imageFile{path: "/bin/sh", link: "bash"})
	for _, path := range []string{"/opt/rke-tools/entrypoint.sh", "/usr/bin/cert-deployer", "/usr/bin/nginx-proxy", "/usr/bin/nc"} {
		out = append(out, b.program(path, toolsProgram))
	}
	return out
}

func (b *builder) kubernetes() []imageFile {
	out := []imageFile{
		b.program("/usr/local/bin/components", componentsProgram), b.program("/usr/local/bin/kubelet", kubeletProgram), b.program("/usr/local/bin/kube-proxy", proxyProgram),
		{path: "/bin/sh", link: "busybox"}, {path: "/bin/bash", link: "busybox"},
	}
	for _, name := range []string{"kube-apiserver", "kube-controller-manager", "kube-scheduler", "kubectl"} {
		out = append(out, imageFile{path: "/usr/local/bin/" + name, link: componentsProgram})
	}
	modules, err := filepath.Glob("/usr/lib/*/xtables/*.so")
	b.keep(err)
	programs := []string{"/bin/mount", "/bin/umount"}
	for _, family := range []string{"iptables", "ip6tables"} {
		programs = append(programs, "/usr/sbin/"+family, "/usr/sbin/"+family+"-save", "/usr/sbin/"+family+"-restore")
	}
	return append(out, b.dynamic(append(programs, modules...)...)...)
}

// busybox returns a root file system with busybox' programs, without those that another entry of
// an image replaces.
func (b *builder) busybox() []imageFile {
	out := []imageFile{
		{path: "/bin/busybox", source: "/bin/busybox", mode: 0o755}, {path: "/var/run", link: "/run"},
		{path: "/etc/passwd", text: "root:x:0:0:root:/root:/bin/sh\n", mode: 0o644}, {path: "/tmp", mode: 0o1777},
	}
	for _, dir := range []string{"/sbin", "/usr/bin", "/usr/sbin", "/usr/local/bin", "/proc", "/sys", "/dev", "/run", "/root", "/lib"} {
		out = append(out, imageFile{path: dir, mode: 0o755})
	}
	list, err := exec.CommandContext(b.ctx, "/bin/busybox", "--list").Output()
	b.keep(err)
	replaced := map[string]bool{"nc": true, "sh": true, "bash": true, "mount": true, "umount": true, "busybox": true}
	for name := range strings.FieldsSeq(string(list)) {
		if !replaced[name] {
			out = append(out, imageFile{path: "/bin/" + name, link: "busybox"})
		}
	}
	return out
}

// library matches a path in ldd's output.
var library = regexp.MustCompile(`/[^ )]+`)

// dynamic returns programs of this machine with their libraries, at the same paths.
func (b *builder) dynamic(programs ...string) []imageFile {
	var out []imageFile
	seen := map[string]bool{}
	add := func(path string) {
		if !seen[path] {
			seen[path] = true
			out = append(out, imageFile{path: path, source: path, mode: 0o755})
		}
	}
	for _, program := range programs {
		add(program)
		text, err := exec.CommandContext(b.ctx, "ldd", program).Output()
		if err != nil {
			b.keep(fmt.Errorf("ldd %s: %w", program, err))
			continue
		}
		for line := range strings.Lines(string(text)) {
			if path := library.FindString(line); path != "" {
				add(path)
			}
		}
	}
	return out
}

func (b *builder) keep(err error) {
	if b.err == nil {
		b.err = err
	}
}
