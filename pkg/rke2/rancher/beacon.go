package rancher

import (
	"context"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/plaintext"
)

// beaconPlanner is the owner of a Beacon while Rancher's planner works. The planner keeps it for
// the whole rollout (rancher/rancher:pkg/controllers/capr/planner/controller.go@v2.15.0).
const beaconPlanner = "planner"

// Beacon describes the Beacon of a cluster, by which Rancher 2.15 and later decide who may write
// the plans of machines: the planner, or one operation, e.g. a rotation of keys.
type Beacon struct {
	Served bool // whether Rancher serves the kind; earlier versions have no Beacons
	Found  bool
	Owner  string // status.owner; empty if nothing works on the machines
}

// readBeacon returns the Beacon that has the name of the Cluster.
func (c Clients) readBeacon(ctx context.Context, namespace, name string) (Beacon, error) {
	if served, err := c.serves(ctx, beaconsGVR); err != nil || !served {
		return Beacon{}, err
	}
	object, err := c.Management.Resource(beaconsGVR).Namespace(namespace).Get(ctx, name, metav1.GetOptions{})
	switch {
	case apierrors.IsNotFound(err):
		return Beacon{Served: true}, nil
	case err != nil:
		return Beacon{}, migration.CouldNotRead(fmt.Sprintf("Beacon %s/%s", namespace, name), err)
	}
	owner, _, err := unstructured.NestedString(object.Object, "status", "owner")
	if err != nil {
		return Beacon{}, migration.CouldNotRead(fmt.Sprintf("Beacon %s/%s", namespace, name), err)
	}
	return Beacon{Served: true, Found: true, Owner: owner}, nil
}

// beaconAtRest returns a condition if Rancher's planner may not work on the machines, or nil. The
// planner as owner shows nothing: it stays during a rollout, which other conditions show.
func (f Facts) beaconAtRest() []migration.PendingCondition {
	on := subject{"Beacon", f.Cluster.Namespace + "/" + f.Cluster.Name}
	switch b := f.Beacon; {
	case !b.Served, b.Found && (b.Owner == "" || b.Owner == beaconPlanner):
		return nil
	case !b.Found:
		return []migration.PendingCondition{pending(beaconAbsent, on)}
	default:
		return []migration.PendingCondition{pending(beaconHeld, on, plaintext.Tidy(b.Owner))}
	}
}
