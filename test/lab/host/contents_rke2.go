package host

import (
	"context"
	"os"
	"slices"
)

// agentImage is the image of cattle-cluster-agent, which only has to exist.
const agentImage = "lab/pause:1"

// tokensFile is in the image of Kubernetes, where its kube-apiserver finds it.
const tokensFile = "/etc/lab/tokens.csv"

// imagesRKE2 returns the images that RKE2 v1.26.13+rke2r1 names, the one that its helm controller
// v0.15.9 names for Jobs, and that of the cloud controller manager, of which the lab has the first
// release.
func (h *Hosts) imagesRKE2(ctx context.Context) ([]image, error) {
	lab, err := os.Executable()
	if err != nil {
		return nil, err
	}
	b := builder{ctx: ctx, binaries: h.Binaries}
	path := imageConfig{Env: []string{"PATH=/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "LAB_KUBERNETES_VERSION=v1.26.13+rke2r1"}}
	kubernetes := replaced(append(b.busybox(), b.kubernetes()...), apiServerWithTokens(h.Tokens))
	all := []image{
		{name: "rancher/hardened-kubernetes:v1.26.13-rke2r1-build20240117", config: path, files: kubernetes, pods: true},
		{name: "rancher/hardened-etcd:v3.5.9-k3s1-build20230802", config: path, files: append(b.busybox(), b.program("/usr/local/bin/etcd", componentsProgram)), pods: true},
		{
			name: "rancher/klipper-helm:v0.8.3-build20240228", config: imageConfig{User: "1000", Entrypoint: []string{"/lab", "klipper-helm"}},
			files: []imageFile{{path: "/lab", source: lab, mode: 0o755}}, pods: true,
		},
		b.pause(pauseImage), b.pause(agentImage),
		b.ccm("v1.26.14", imageFile{path: rootsFile, text: h.Roots, mode: 0o644}),
	}
	return all, b.err
}

// apiServerWithTokens returns a kube-apiserver that also accepts the lab's tokens, which no manifest
// names.
func apiServerWithTokens(tokens string) []imageFile {
	return []imageFile{
		{path: "/usr/local/bin/kube-apiserver", text: "#!/bin/sh\nexec /usr/local/lib/kube-apiserver \"$@\" --token-auth-file=" + tokensFile + "\n", mode: 0o755},
		{path: "/usr/local/lib/kube-apiserver", link: "../bin/" + componentsProgram},
		{path: tokensFile, text: tokens, mode: 0o600},
	}
}

// replaced returns the files with others in the place of those with the same path.
func replaced(files, others []imageFile) []imageFile {
	out := slices.DeleteFunc(files, func(f imageFile) bool {
		return slices.ContainsFunc(others, func(other imageFile) bool { return other.path == f.path })
	})
	return append(out, others...)
}
