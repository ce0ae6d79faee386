package cluster

import "fmt"

// Distro is the program that made the cluster.
type Distro string

// The distributions.
const (
	// RKE2 is RKE2 1.26, made and managed by Rancher.
	RKE2 Distro = "rke2"
	// RKE is a cluster that the rke command line made, without Rancher.
	RKE Distro = "rke"
	// RKE1 is a cluster that Rancher made with rke and manages.
	RKE1 Distro = "rke1"
)

// ByRKE reports whether rke's containers run on the machines.
func (d Distro) ByRKE() bool { return d == RKE || d == RKE1 }

// ParseDistro parses --distro.
func ParseDistro(text string) (Distro, error) {
	switch d := Distro(text); d {
	case RKE2, RKE, RKE1:
		return d, nil
	}
	return "", fmt.Errorf("--distro %q is none of %s, %s, %s", text, RKE2, RKE, RKE1)
}
