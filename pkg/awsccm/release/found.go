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

// Found is what an installation finds in the cluster.
type Found struct {
	Now time.Time
	// Release is the release of our name in our namespace, nil without one.
	Release *Release
	// Elsewhere are namespaces that hold a release of our name.
	Elsewhere []string
	// HelmChart and HelmChartConfig of our name exist in our namespace.
	HelmChart, HelmChartConfig bool
	// Objects are the objects that would be installed and exist already.
	Objects []FoundObject
}

// FoundObject is an existing object and the release that owns it, if one does.
type FoundObject struct {
	Object                        string // "ClusterRole system:cloud-controller-manager"
	ReleaseName, ReleaseNamespace string
	resource                      schema.GroupVersionResource
	namespace, shortName          string
	uid                           types.UID
}

// Operation is what Apply will do.
type Operation string

const (
	// OpNone finds it deployed as wanted.
	OpNone Operation = "none"
	// OpInstall finds no release.
	OpInstall Operation = "install"
	// OpUpgrade finds one, ours or upstream's, to upgrade in place.
	OpUpgrade Operation = "upgrade"
)

// Repair is what has to be mended in Helm's records first.
type Repair string

const (
	// RepairNone finds nothing to repair.
	RepairNone Repair = ""
	// RepairMarkFailed mends an operation that was cut off; its record becomes failed,
	// after which an upgrade goes over whatever it did.
	RepairMarkFailed Repair = "mark failed"
	// RepairFinishUninstall finishes an uninstall that was cut off.
	RepairFinishUninstall Repair = "finish uninstall"
)

// foreignHelm is how long a pending record that another tool's chart left is
// taken for a Helm at work, its default timeout.
const foreignHelm = 5 * time.Minute

// judgeFound says how to install over what was found, or refuses with the
// command that clears the way.
func judgeFound(f Found) (Operation, Repair, error) {
	if f.HelmChart {
		return "", "", refuse("HelmChartFound", "HelmChart "+wellknown.System+"/"+wellknown.CCM,
			"RKE2's helm controller installs the controller manager and would undo ours",
			"take it out of the cluster's additional manifest, or kubectl -n "+wellknown.System+" delete helmchart "+wellknown.CCM+
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
		if age := f.Now.Sub(r.Updated); !r.OurChart && age < foreignHelm {
			return "", "", &fault.Error{
				Class: fault.Locked, Reason: "HelmAtWork", Object: "Helm release " + wellknown.System + "/" + wellknown.CCM,
				Seen:   fmt.Sprintf("%s since %s, by a Helm that is not ours", r.Status, age.Round(time.Second)),
				Wanted: "nobody else installing", Fix: "wait for it to end, or until it is " + foreignHelm.String() + " old",
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

// refuseForeign refuses objects that another release owns, or none.
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
