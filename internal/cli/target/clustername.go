package target

import (
	"strings"

	"github.com/spf13/pflag"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
)

// checkCluster returns an error if --cluster is empty, has too many parts, or contradicts --namespace.
func checkCluster(flags *pflag.FlagSet) error {
	cluster := flags.Lookup("cluster")
	if cluster == nil || !cluster.Changed {
		return nil
	}
	value := cluster.Value.String()
	namespace, name, both := strings.Cut(value, "/")
	if value == "" || strings.HasPrefix(value, "-") || both && (namespace == "" || name == "" || strings.Contains(name, "/")) {
		return &fault.Error{Class: fault.Usage, Reason: "Usage", Object: "flag --cluster", Seen: "invalid value \"" + value + "\"",
			Wanted: "NAME, NAMESPACE/NAME or the id in Rancher's URL, for example --cluster fleet-default/demo", Fix: "list the clusters: `awsmigrate list`"}
	}
	if in := flags.Lookup("namespace"); both && in != nil && in.Changed && in.Value.String() != namespace {
		return &fault.Error{Class: fault.Usage, Reason: "Usage", Object: "flags --cluster, --namespace",
			Seen: "name the namespaces \"" + namespace + "\" and \"" + in.Value.String() + "\"", Wanted: "one namespace",
			Fix: "leave out --namespace, or use --cluster " + fault.Command(name)}
	}
	return nil
}

// noCluster returns the error for a command that names no cluster.
func noCluster(wanted string) error {
	return &fault.Error{Class: fault.Usage, Reason: "Usage", Object: "this command", Seen: "no cluster is named", Wanted: wanted,
		Fix: "list the clusters: `awsmigrate list`"}
}
