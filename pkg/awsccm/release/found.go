package release

import (
	"fmt"
	"strings"
	"time"

	"helm.sh/helm/v3/pkg/release"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

// Found describes what an installation finds in the cluster.
type Found struct {
	Now time.Time
	// Release is the release of our name in our namespace, or nil.
	Release *Release
	// Elsewhere holds other namespaces with a release of our name.
	Elsewhere []string
	// HelmChart and HelmChartConfig report whether objects of our name exist in our namespace.
	HelmChart, HelmChartConfig bool
	// Objects holds the objects of the installation that already exist.
	Objects []FoundObject
}

// FoundObject is an existing object and the release that owns it, if any.
type FoundObject struct {
	Object                        string // "ClusterRole system:cloud-controller-manager"
	ReleaseName, ReleaseNamespace string
	resource                      schema.GroupVersionResource
	namespace, shortName          string
	uid                           types.UID
}

// Operation is the operation of Apply.
type Operation string

const (
	// OpNone means that the release is already as wanted.
	OpNone Operation = "none"
	// OpInstall means that there is no release yet.
	OpInstall Operation = "install"
	// OpUpgrade means that an existing release, ours or upstream's, is upgraded.
	OpUpgrade Operation = "upgrade"
)

// Repair is the repair that Helm's records need first.
type Repair string

const (
	// RepairNone means that no repair is needed.
	RepairNone Repair = ""
	// RepairMarkFailed repairs an interrupted operation: its record becomes failed, and an
	// upgrade then overwrites its results.
	RepairMarkFailed Repair = "mark failed"
	// RepairFinishUninstall finishes an interrupted uninstall.
	RepairFinishUninstall Repair = "finish uninstall"
)

// foreignHelmTimeout is the age up to which a pending record of another tool's chart counts as
// a running Helm: its default timeout.
const foreignHelmTimeout = 5 * time.Minute

// judgeFound decides how to install over existing objects. Otherwise it returns an error with
// the command that removes the obstacle.
func judgeFound(f Found) (Operation, Repair, error) {
	if f.HelmChart {
		return "", "", refuse("HelmChartFound", "HelmChart "+wellknown.System+"/"+wellknown.CCM,
			"RKE2's helm controller installs the controller manager and would undo ours",
			"remove it from the cluster's additional manifest, or kubectl -n "+wellknown.System+" delete helmchart "+wellknown.CCM+
				"; or use --install-method additional-manifest")
	}
	if err := refuseForeign(f); err != nil {
		return "", "", err
	}
	r := f.Release
	if r == nil {
		return OpInstall, RepairNone, nil
	}
	switch r.Status {
	case release.StatusPendingInstall, release.StatusPendingUpgrade, release.StatusPendingRollback:
		if age := f.Now.Sub(r.Updated); !r.OurChart && age < foreignHelmTimeout {
			return "", "", &fault.Error{
				Class: fault.Locked, Reason: "HelmAtWork", Object: "Helm release " + wellknown.System + "/" + wellknown.CCM,
				Seen:   fmt.Sprintf("%s since %s, by another Helm client", r.Status, age.Round(time.Second)),
				Wanted: "no other Helm operation", Fix: "wait for it to end, or until it is " + foreignHelmTimeout.String() + " old",
			}
		}
		return OpUpgrade, RepairMarkFailed, nil
	case release.StatusUninstalling:
		return OpInstall, RepairFinishUninstall, nil
	case release.StatusUninstalled:
		return OpInstall, RepairNone, nil
	default:
		return OpUpgrade, RepairNone, nil
	}
}

// refuseForeign returns an error for objects of another release or of none.
func refuseForeign(f Found) error {
	for _, ns := range f.Elsewhere {
		return refuse("ReleaseElsewhere", "Helm release "+ns+"/"+wellknown.CCM,
			"the controller manager is recorded in namespace "+ns+", its objects are in "+wellknown.System,
			fault.Command("helm", "-n", ns, "uninstall", wellknown.CCM))
	}
	var unowned, commands []string
	for _, o := range f.Objects {
		switch {
		case o.ReleaseName == wellknown.CCM && o.ReleaseNamespace == wellknown.System:
		case o.ReleaseName != "":
			return refuse("OtherRelease", o.Object,
				"Helm release "+o.ReleaseNamespace+"/"+o.ReleaseName+" owns it",
				fault.Command("helm", "-n", o.ReleaseNamespace, "uninstall", o.ReleaseName))
		default:
			unowned = append(unowned, o.Object)
			commands = append(commands, o.deleteCommand())
		}
	}
	if len(unowned) > 0 {
		return refuse("UnownedObjects", strings.Join(unowned, ", "),
			"exist and belong to no Helm release", strings.Join(commands, "; "))
	}
	return nil
}

func (o FoundObject) deleteCommand() string {
	if o.namespace == "" {
		return fault.Command("kubectl", "delete", o.resource.Resource, o.shortName)
	}
	return fault.Command("kubectl", "-n", o.namespace, "delete", o.resource.Resource, o.shortName)
}

func refuse(reason, object, seen, fix string) error {
	return &fault.Error{
		Class: fault.Check, Reason: reason, Object: object, Seen: seen,
		Wanted: "nothing, or Helm release " + wellknown.System + "/" + wellknown.CCM, Fix: fix,
	}
}
