package cluster

import "fmt"

// Distro is the program that made the cluster.
type Distro string

// The distributions.
const (
	// RKE2 is RKE2 1.26, made and managed by Rancher.
	RKE2 Distro = "rke2"
	// RKE is made by the rke command line. There is no Rancher.
	RKE Distro = "rke"
	// RKE1 is made by rke within Rancher, which manages it.
	RKE1 Distro = "rke1"
)

// ByRKE reports whether rke's containers run on the machines.
func (d Distro) ByRKE() bool { return d == RKE || d == RKE1 }

// ParseDistro reads --distro.
func ParseDistro(text string) (Distro, error) {
	switch d := Distro(text); d {
	case RKE2, RKE, RKE1:
		return d, nil
	}
	return "", fmt.Errorf("--distro %q is none of %s, %s, %s", text, RKE2, RKE, RKE1)
}
