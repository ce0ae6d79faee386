package evidence

import (
	"strings"

	"github.com/awsmigrate/awsmigrate/pkg/verify/downstream"
)

// Proof reports which end states keep a node's name by construction.
type Proof struct {
	External  bool // explicit --node-name equal to the Node's name
	Overrides bool // RKE2's override, repeated by the label, equals the Node's name
	Missing   string
}

// NameProof reads a node's evidence. Label kubernetes.io/hostname, annotation rke2.io/hostname
// and the Hostname address repeat the metadata name: they show what RKE2 passes as
// --hostname-override, and nothing about the host.
func NameProof(n downstream.Node) Proof {
	var p Proof
	args, has, err := n.NodeArgs()
	switch {
	case err != nil:
		p.Missing = err.Error()
	case !has:
		p.Missing = "no annotation " + downstream.AnnotationArgs
	default:
		p.External = args.Last("node-name") == n.Name
	}
	label, ok := n.Labels[downstream.LabelHostname]
	if !ok {
		p.Missing = strings.TrimPrefix(p.Missing+", no label "+downstream.LabelHostname, ", ")
	}
	p.Overrides = ok && strings.ToLower(label) == n.Name
	return p
}
