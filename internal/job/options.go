package job

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

// Options holds the values of the manifests.
type Options struct {
	Distribution   wellknown.Distribution
	Cluster        string // name of Rancher's Cluster object; RKE: its ID, c-xxxxx
	Namespace      string // of the Job; RKE2: also of the Cluster object; RKE: its Fleet workspace, unless DownstreamSecret is set
	Image          string
	ServiceAccount string // if empty, the Job gets its own
	Suspend        bool
	Args           []string // of the run, after the target
	Plan           []byte   // the saved plan, or nil
	Exits          Exits

	AWSSecret        string          // in Namespace: variables such as AWS_ACCESS_KEY_ID
	DownstreamSecret string          // in Namespace: kubeconfig of the cluster under the key `value`
	CloudConfig      SecretReference // named as `secret://` in the configuration
	Undo             bool            // the rights must also allow an undo
}

// SecretReference names a Secret; the zero value names none.
type SecretReference struct{ Namespace, Name string }

// Exits holds the exit codes of failed runs, in ascending order.
type Exits struct {
	Final []int32 // a retry does not help
	Again []int32 // a retry may help
}

// nameLimit is the maximum length of a label value: the Job's pods have its name as a label
// (kubernetes/kubernetes:pkg/apis/batch/validation/validation.go@v1.26.13).
const nameLimit = 63

// name returns the name of most objects, and of the journal.
func (o Options) name() string { return journal.Name(o.Cluster) }

// jobName returns name, shortened to the length of a label value. A shortened name has a dot
// after "awsmigrate", so it never equals the full name of another cluster.
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

// clusterWide returns a name for cluster-scoped objects, because Clusters in two namespaces may
// have the same name. A namespace name contains no dot.
func (o Options) clusterWide() string {
	return wellknown.ObjectName(wellknown.JobRole, o.Namespace+"."+o.Cluster)
}

func (o Options) serviceAccount() string {
	if o.ServiceAccount != "" {
		return o.ServiceAccount
	}
	return o.name()
}

// home returns the namespace of journal and lock.
func (o Options) home() string {
	if o.Distribution.NamedByID() {
		return o.Cluster // Rancher gives each RKE cluster a namespace named after its ID
	}
	return o.Namespace
}

func (o Options) labels() map[string]string {
	return map[string]string{
		"app.kubernetes.io/name": "awsmigrate", "app.kubernetes.io/component": "run",
		"app.kubernetes.io/instance": o.jobName(),
	}
}
