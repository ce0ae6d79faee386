package job

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

// Options of the manifests.
type Options struct {
	Distribution   wellknown.Distribution
	Cluster        string // name of Rancher's Cluster object; RKE: its id, c-xxxxx
	Namespace      string // of the Job; RKE2: that of the Cluster object, too; RKE: its Fleet workspace, unless DownstreamSecret is set
	Image          string
	ServiceAccount string // "": one of the Job's own
	Suspend        bool
	Args           []string // of the run, beside the target
	Plan           []byte   // the saved plan; nil: none
	Exits          Exits

	AWSSecret        string          // in Namespace: variables such as AWS_ACCESS_KEY_ID
	DownstreamSecret string          // in Namespace: kubeconfig of the cluster under the key `value`
	CloudConfig      SecretReference // what `secret://` in the configuration names
	Undo             bool            // the rights are to serve an undo, too
}

// SecretReference names a Secret; the zero value none.
type SecretReference struct{ Namespace, Name string }

// Exits are the codes with which a run fails, in the order of their size.
type Exits struct {
	Final []int32 // repeating the run does not help
	Again []int32 // it may
}

// nameLimit is what a label holds: the Job's pods carry its name as one
// (kubernetes/kubernetes:pkg/apis/batch/validation/validation.go@v1.26.13).
const nameLimit = 63

// name is that of most objects, and of the journal.
func (o Options) name() string { return journal.Name(o.Cluster) }

// jobName is name, as long as a label holds it. A shortened one has a dot behind "awsmigrate":
// no cluster's full name is another's shortened one.
func (o Options) jobName() string {
	const digest = 8
	name := o.name()
	if len(name) <= nameLimit {
		return name
	}
	sum := sha256.Sum256([]byte(name))
	short := "awsmigrate." + o.Cluster
	return strings.TrimRight(short[:nameLimit-1-2*digest], "-.") + "-" + hex.EncodeToString(sum[:digest])
}

// clusterWide is the name of what no namespace holds: two namespaces may have Clusters
// of one name. A namespace has no dot in its name.
func (o Options) clusterWide() string {
	return wellknown.ObjectName(wellknown.JobRole, o.Namespace+"."+o.Cluster)
}

func (o Options) serviceAccount() string {
	if o.ServiceAccount != "" {
		return o.ServiceAccount
	}
	return o.name()
}

// home is the namespace of journal and lock.
func (o Options) home() string {
	if o.Distribution == wellknown.RKE {
		return o.Cluster // Rancher gives each RKE cluster a namespace of its id
	}
	return o.Namespace
}

func (o Options) labels() map[string]string {
	return map[string]string{
		"app.kubernetes.io/name": "awsmigrate", "app.kubernetes.io/component": "run",
		"app.kubernetes.io/instance": o.jobName(),
	}
}
