package ccmchart

import (
	"fmt"
	"strings"
	"time"

	"github.com/awsmigrate/awsmigrate/pkg/awsccm"
	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

// Concern describes a problem of the values.
type Concern struct {
	Key      string // path in the values, e.g. "args --leader-elect"
	Seen     string
	Why      string // the affected clusters, and the effect
	Blocking bool   // an installation with these values would break the migration
	Fix      string // or empty: take the key out of --values
}

// judgeUserValues returns concerns about the changes in the user's values.
func judgeUserValues(in Inputs, user map[string]any, config CloudConfig) []Concern {
	var list []Concern
	block := func(key, seen, why string) {
		list = append(list, Concern{Key: key, Seen: seen, Why: why, Blocking: true})
	}
	if on, given := asMap(user["leaderMigration"])["enabled"]; given && on != in.LeaderMigration {
		block("leaderMigration.enabled", fmt.Sprint(on), "awsmigrate turns it on and off at the right step")
	}
	if name, given := user["nameOverride"]; given && name != wellknown.CCM {
		block("nameOverride", fmt.Sprint(name), "another name creates a second DaemonSet")
	}
	if ns, given := user["namespace"]; given && ns != wellknown.System {
		block("namespace", fmt.Sprint(ns), "its leases must be where kube-controller-manager's are")
	}
	if _, given := asMap(user["cloudConfig"])["content"]; given && config.Text != "" {
		block("cloudConfig.content", "given in --values and found in the cluster", "only one can be mounted; use --cloud-config")
	}
	args, err := stringList(user["args"])
	if err != nil {
		block("args", err.Error(), "the chart takes a list of strings")
		return list
	}
	for _, flag := range []string{flagLeaderMigration, flagMigrationConfig} {
		if value, given := arguments(args).get(flag); given {
			list = append(list, Concern{Key: "args " + flag, Seen: value, Why: "left out: awsmigrate sets it, with a file that names the controllers"})
		}
	}
	if value, given := arguments(args).get(flagCloudConfig); given && config.Text != "" {
		block("args "+flagCloudConfig, value, "the cluster's own cloud config is mounted already; use --cloud-config")
	}
	return list
}

// judgeValues returns concerns about merged values that break a migration.
func judgeValues(in Inputs, values map[string]any, img awsccm.Image) []Concern {
	var list []Concern
	block := func(key, seen, why string) {
		list = append(list, Concern{Key: key, Seen: seen, Why: why, Blocking: true})
	}
	note := func(key, seen, why string) { list = append(list, Concern{Key: key, Seen: seen, Why: why}) }

	list = append(list, judgeArguments(in, values)...)
	if in.LeaderMigration && awsccm.NeedsMigrationFile(img) && !in.foreign() && asMap(values["leaderMigration"])["mountConfig"] != true {
		block("leaderMigration.mountConfig", "off", "two managers would run services and routes")
	}
	if on, _ := values["hostNetworking"].(bool); !on {
		note("hostNetworking", "off", "the controller manager then needs the cluster network before it can start, and the metadata service's hop limit above 1")
	}
	for _, taint := range distinctTaints(in.ControlPlaneTaints) {
		if KeepsAway(taint, tolerationsOf(values)) {
			block("tolerations", "none for "+taint.ToString(), "no pod on the nodes with that taint")
		}
	}
	for key, want := range in.nodeSelector() {
		if have := asMap(values["nodeSelector"])[key]; have != want {
			block("nodeSelector."+key, fmt.Sprintf("%q", fmt.Sprint(have)), "control-plane nodes do not match it")
		}
	}
	for key, value := range asMap(values["nodeSelector"]) {
		if _, ours := in.nodeSelector()[key]; !ours && value != nil {
			note("nodeSelector."+key, "added", "no pod on control-plane nodes without that label")
		}
	}
	strategy := asMap(values["updateStrategy"])
	if kind, given := strategy["type"]; given && kind != "RollingUpdate" {
		block("updateStrategy.type", fmt.Sprint(kind), "pods would keep their old arguments")
	}
	if n := asMap(strategy["rollingUpdate"])["maxUnavailable"]; n != nil && fmt.Sprint(n) != "1" {
		note("updateStrategy.rollingUpdate.maxUnavailable", fmt.Sprint(n), "the cloud controllers may all be away at once")
	}
	for _, missing := range missingRights(values["clusterRoleRules"], in.foreign()) {
		block("clusterRoleRules", "without "+missing, "the controllers run, fail and say so only in their log")
	}
	if leases, given := asMap(values["leaderElection"])["leases"]; given {
		for _, lease := range []string{wellknown.CCMLease, wellknown.MigrationLease} {
			if !contains(leases, lease) {
				block("leaderElection.leases", "without "+lease, "no controller would ever start")
			}
		}
	}
	return list
}

func judgeArguments(in Inputs, values map[string]any) []Concern {
	var list []Concern
	raw, err := stringList(values["args"])
	if err != nil {
		return nil // judgeUserValues reports it
	}
	args := arguments(raw)
	block := func(flag, seen, why string) {
		list = append(list, Concern{Key: "args " + flag, Seen: seen, Why: why, Blocking: true})
	}
	if v, given := args.get(flagLeaderElect); given && !isTrue(v) {
		block(flagLeaderElect, v, "every control-plane node would run the controllers, leader migration or not")
	}
	if v, _ := args.get(flagCloudProvider); v != "aws" {
		block(flagCloudProvider, v, "the process does not start")
	}
	routes, _ := args.get(flagCloudRoutes)
	cidr, _ := args.get(flagClusterCIDR)
	switch {
	case isTrue(routes) && !in.Routes:
		block(flagCloudRoutes, routes, "use --cloud-routes on, which also gives the cluster CIDR")
	case isTrue(routes) && cidr == "":
		block(flagClusterCIDR, "missing", "the process crashes when it takes the lease")
	case !isTrue(routes) && in.Routes:
		block(flagCloudRoutes, routes, "the existing pod routes would no longer be maintained")
	}
	for flag, want := range map[string]string{
		"--leader-elect-resource-name":      wellknown.CCMLease,
		"--leader-elect-resource-namespace": wellknown.System,
		"--leader-elect-resource-lock":      "leases",
	} {
		if v, given := args.get(flag); given && v != want {
			block(flag, v, "who holds which lease would be unknown")
		}
	}
	if v, given := args.get("--controllers"); given {
		for _, c := range strings.Split(v, ",") {
			if strings.HasPrefix(strings.TrimSpace(c), "-") && (!strings.Contains(c, "route") || in.Routes) {
				block("--controllers", v, strings.TrimPrefix(strings.TrimSpace(c), "-")+" would run nowhere")
			}
		}
	}
	if v, _ := args.get("--use-service-account-credentials"); isTrue(v) && in.foreign() {
		block("--use-service-account-credentials", v, "that chart does not grant get on serviceaccounts, and the process exits")
	}
	return list
}

// requiredRights returns the cluster-wide calls of the four controllers and of delegated
// authentication (k8s.io/cloud-provider@v0.26.13, controllers/ and node/helpers).
func requiredRights() [][3]string {
	var list [][3]string
	add := func(resource string, verbs ...string) {
		for _, v := range verbs {
			list = append(list, [3]string{"", resource, v})
		}
	}
	add("events", "create", "patch")
	add("nodes", "get", "list", "watch", "update", "patch", "delete")
	add("nodes/status", "patch")
	add("services", "list", "watch")
	add("services/status", "patch")
	return list
}

// missingRights returns the required rights that a user's list of rules lacks.
func missingRights(rules any, foreign bool) []string {
	list, given := rules.([]any)
	if !given {
		return nil
	}
	need := requiredRights()
	if foreign {
		for _, verb := range []string{"create", "get", "update"} {
			need = append(need, [3]string{"coordination.k8s.io", "leases", verb})
		}
	}
	var missing []string
	for _, n := range need {
		found := false
		for _, r := range list {
			rule := asMap(r)
			found = found || rule["resourceNames"] == nil &&
				contains(rule["apiGroups"], n[0]) && contains(rule["resources"], n[1]) && contains(rule["verbs"], n[2])
		}
		if !found {
			missing = append(missing, n[2]+" "+n[1])
		}
	}
	return missing
}

func orDefault(d time.Duration, seconds int) time.Duration {
	if d == 0 {
		return time.Duration(seconds) * time.Second
	}
	return d
}
