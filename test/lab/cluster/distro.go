package cluster

import "fmt"

// Distro is who made the cluster.
type Distro string

// The distributions.
const (
	// RKE2 is RKE2 1.26, made and managed by Rancher.
	RKE2 Distro = "rke2"
	// RKE is made by the rke command line. There is no Rancher.
	RKE Distro = "rke"
)

// ParseDistro reads --distro.
func ParseDistro(text string) (Distro, error) {
	switch d := Distro(text); d {
	case RKE2, RKE:
		return d, nil
	}
	return "", fmt.Errorf("--distro %q is none of %s, %s", text, RKE2, RKE)
}
