package downstream

import "github.com/awsmigrate/awsmigrate/pkg/verify/component"

// ServerVersions returns the oldest and the newest version that a kube-apiserver may run: known,
// unless a control plane shows another minor version. Control planes show it by their kubelets
// and by the images of their kube-apiservers. While versions change, and in a rollout that
// stopped, they differ. A version that cannot be read counts for nothing.
func ServerVersions(known string, planes []Node, servers []Pod) (oldest, newest string) {
	versions := []string{known}
	for i := range planes {
		versions = append(versions, planes[i].Kubelet)
	}
	for i := range servers {
		for _, c := range servers[i].Containers {
			if v, err := component.ImageVersion(c.Image); err == nil {
				versions = append(versions, "v"+v.String())
			}
		}
	}
	oldest, newest = known, known
	low, high := readable(known), readable(known)
	for _, text := range versions {
		switch v := readable(text); {
		case !v.Known():
		case !low.Known():
			oldest, newest, low, high = text, text, v, v
		case !v.AtLeast(low.Major, low.Minor):
			oldest, low = text, v
		case !high.AtLeast(v.Major, v.Minor):
			newest, high = text, v
		}
	}
	return oldest, newest
}

// readable returns the version in a text, or zero.
func readable(text string) component.Version {
	v, err := component.ParseVersion(text)
	if err != nil {
		return component.Version{}
	}
	return v
}
