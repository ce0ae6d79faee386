package sim

import "time"

// Setup names a World and gives its time, for a World outside of a bubble.
type Setup struct {
	// Name is the name of the cluster in Rancher, and ID its ID there: c-m-xxxxxxxx for RKE2, c-xxxxx
	// for RKE.
	Name, ID string
	// Manifest is the additionalManifest of an RKE2 cluster, or empty.
	Manifest string
	// Start is the first moment at which the World can be used.
	Start time.Time
	Clock func() time.Time
}

// inBubble returns the setup of a World in a bubble.
func inBubble(id string) Setup {
	return Setup{Name: clusterName, ID: id, Start: epoch, Clock: time.Now}
}

// RKE2 returns the cluster of NewRKE2 with this setup.
func (s Setup) RKE2() *World { return s.newRKE2(rancher28, defaultConfig()) }

// Managed returns the cluster of NewManaged with this setup.
func (s Setup) Managed() *World { return s.newManaged(managedConfig()) }

// newWorld returns a World without parts, a minute before its start.
func (s Setup) newWorld() *World {
	return &World{now: s.Start.Add(-time.Minute), clock: s.Clock, name: s.Name, id: s.ID, restarts: map[string]int{}, written: map[string]written{}}
}
