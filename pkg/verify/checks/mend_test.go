package checks

import (
	"slices"
	"strings"
	"testing"

	"github.com/awsmigrate/awsmigrate/pkg/verify"
	"github.com/awsmigrate/awsmigrate/pkg/verify/checks/evidence"
	"github.com/awsmigrate/awsmigrate/pkg/verify/cloud"
	"github.com/awsmigrate/awsmigrate/pkg/verify/downstream"
)

// mend holds the fix of a trap, and its effect on the cluster.
type mend struct {
	fix  string // in the finding's fix, or in the check's
	does func(*evidence.Input)
}

// without removes a flag from every kube-controller-manager.
func without(flag string) func(*evidence.Input) {
	return func(in *evidence.Input) {
		for i := range in.StaticPods.Value {
			c := &in.StaticPods.Value[i].Containers[0]
			c.Args = slices.DeleteFunc(slices.Clone(c.Args), func(word string) bool { return strings.HasPrefix(word, "--"+flag) })
		}
	}
}

// withoutNode removes a Node with its machine.
func withoutNode(i int) func(*evidence.Input) {
	return func(in *evidence.Input) { in.Nodes.Value = slices.Delete(slices.Clone(in.Nodes.Value), i, i+1) }
}

func everyInstance(change func(*cloud.Instance)) func(*evidence.Input) {
	return func(in *evidence.Input) {
		for i := range 6 {
			instance(in, i, change)
		}
	}
}

var owned = cloud.Tags{"kubernetes.io/cluster/demo": "owned"}

// chartArgs sets the CCM's arguments of our chart before the switch.
func chartArgs(more ...string) func(*evidence.Input) {
	return func(in *evidence.Input) {
		ccmArgs(in, append([]string{"--cloud-provider=aws", "--configure-cloud-routes=false", "--enable-leader-migration=true"}, more...)...)
	}
}

func driverEverywhere(in *evidence.Input) {
	without("feature-gates")(in)
	in.CSINodes.Value = nil
	in.Workloads.Value = append(slices.Clone(in.Workloads.Value), driver("Deployment", 2, 2), driver("DaemonSet", 6, 6))
	for i := range 6 {
		in.CSINodes.Value = append(in.CSINodes.Value, downstream.CSINode{Name: nodeName(i), EBS: true, Migrated: downstream.InTreeEBS})
	}
}

func granted(in *evidence.Input) { in.Rights.Value.Get, in.Rights.Value.Update = true, true }

func byCCM(in *evidence.Input) {
	in.Leases.Value.Migration = heldBy("ip-10-0-0-11_b", "aws-cloud-controller-manager")
}

func byKCM(in *evidence.Input) {
	in.Leases.Value.Migration = heldBy("ip-10-0-0-10_a", "kube-controller-manager")
}

func rolledOut(in *evidence.Input) {
	d := &in.DaemonSets.Value[0]
	d.Desired, d.Current, d.Ready, d.Updated = 3, 3, 3, 3
	d.NodeSelector, d.Tolerations = map[string]string{"node-role.kubernetes.io/control-plane": "true"}, []downstream.Toleration{{Operator: "Exists"}}
}

func withoutReleases(in *evidence.Input) { in.Releases.Value = nil }

// mends holds the fixes, one for every kind of trap that a user can fix.
func mends() map[string]mend {
	return map[string]mend{
		"AWSM-131 one is away": {"look at the kube-apiserver", func(in *evidence.Input) { in.APIServers.Value[1].Renew = clusterNow }},
		"AWSM-132 crash loop": {"kubectl -n kube-system logs kube-controller-manager-" + nodeName(1) + " --previous",
			func(in *evidence.Input) { p := &in.StaticPods.Value[1]; p.Waiting, p.Restarts, p.Ready = "", 12, true }},
		"AWSM-101 too old":           {"upgrade to 1.22", func(in *evidence.Input) { in.Version = verify.Got("v1.26.13") }},
		"AWSM-616 a role that lacks": {"bind the ServiceAccount", func(in *evidence.Input) { in.CCMRights.Value[0].Missing = nil }},
		"AWSM-201 no update":         {"kubectl -n kube-system create role", granted},
		"AWSM-202 election off":      {"remove --leader-elect=false", without("leader-elect=")},
		"AWSM-202 another namespace": {"--leader-elect-resource-namespace", chartArgs()},
		"AWSM-202 endpoints":         {"--leader-elect-resource-lock", without("leader-elect-resource-lock")},
		"AWSM-203 differ":            {"defaults (15s, 10s, 2s)", without("leader-elect-lease-duration")},
		"AWSM-204 KCM has a file":    {"remove --leader-migration-config", without("leader-migration-config")},
		"AWSM-204 nodeipam":          {"the file of our chart", migrationFile(goodFile)},
		"AWSM-204 another lease":     {"the file of our chart", migrationFile(goodFile)},
		"AWSM-204 not a ConfigMap":   {"the file of our chart", migrationFile(goodFile)},
		"AWSM-205 a Deployment":      {"scale deployment/kcm --replicas=0", func(in *evidence.Input) { in.Workloads.Value = nil }},
		"AWSM-205 a static pod on a worker": {"remove it where it comes from", func(in *evidence.Input) {
			in.StaticPods.Value = in.StaticPods.Value[:3]
		}},
		"AWSM-206 on a worker":        {"stop it", func(in *evidence.Input) { in.Leases.Value.KCM = heldBy("ip-10-0-0-10_a", "kube-controller-manager") }},
		"AWSM-207 locked gate":        {"remove the gate", without("feature-gates")},
		"AWSM-207 gone in the target": {"remove the gate", without("feature-gates")},
		"AWSM-208 still the KCM":      {"find the process", byCCM},
		"AWSM-208 no lease":           {"find the process", byKCM},
		"AWSM-209 frozen":             {"look at the log", byCCM},
		"AWSM-210 KCM without flag":   {"put the flag on", without("enable-leader-migration=false")},
		"AWSM-210 CCM without flag":   {"and on the CCM", chartArgs()},
		"AWSM-211 external with flag": {"remove enable-leader-migration", without("enable-leader-migration")},
		"AWSM-212 v1.28 without file": {"v1.22 to v1.27", func(in *evidence.Input) { in.DaemonSets.Value[0].Containers[0].Image = image }},
		"AWSM-214 service off":        {"disable-cloud-controller: true", without("controllers")},
		"AWSM-301 empty":              {"write it", func(in *evidence.Input) { node(in, 4).ProviderID = "aws:///us-east-1a/i-00000004" }},
		"AWSM-301 the stub's":         {"replace the node", withoutNode(4)},
		"AWSM-302 twice":              {"remove neither", withoutNode(4)},
		"AWSM-303 another zone":       {"kubectl label node " + nodeName(4) + " topology.kubernetes.io/zone=us-east-1a", func(in *evidence.Input) { node(in, 4).Labels[downstream.LabelZone] = "us-east-1a" }},
		"AWSM-303 no label":           {"topology.kubernetes.io/zone=us-east-1a", func(in *evidence.Input) { node(in, 4).Labels[downstream.LabelZone] = "us-east-1a" }},
		"AWSM-304 label is the host name": {"explicit node-name", func(in *evidence.Input) {
			in.EndState = evidence.External
			for i := range 6 {
				node(in, i).Annotations[downstream.AnnotationArgs] = `["server","--cloud-provider-name=aws","--node-name=` + nodeName(i) + `"]`
			}
		}},
		"AWSM-304 external without node-name": {"--end-state overrides", func(in *evidence.Input) { in.EndState = evidence.Overrides }},
		"AWSM-305 two nodes for a machine":    {"undo", withoutNode(4)},
		"AWSM-306 stuck":                      {"CCM's log", func(in *evidence.Input) { node(in, 5).Taints = nil }},
		"AWSM-307 not ready":                  {"remove its machine", withoutNode(5)},
		"AWSM-308 ours left":                  {"kubectl uncordon " + nodeName(0), func(in *evidence.Input) { node(in, 0).Unschedulable = false }},
		"AWSM-308 the user's lost":            {"kubectl cordon " + nodeName(3), func(in *evidence.Input) { node(in, 3).Unschedulable = true }},
		"AWSM-310 shut down":                  {"remove its machine", withoutNode(5)},
		"AWSM-313 Windows": {"explicit node-name", func(in *evidence.Input) {
			node(in, 5).Annotations[downstream.AnnotationArgs] = `["agent","--cloud-provider-name=aws","--node-name=` + nodeName(5) + `"]`
		}},
		"AWSM-401 gone":        {"its instance is elsewhere", func(in *evidence.Input) { in.Cloud.Instances.Value["i-00000005"] = healthyInstance(5) }},
		"AWSM-402 stopped":     {"start the instance", everyInstance(func(i *cloud.Instance) { i.State = "running" })},
		"AWSM-403 moved":       {"replace the node", withoutNode(5)},
		"AWSM-406 no tag":      {"create-tags --resources i-00000005 --tags Key=kubernetes.io/cluster/demo,Value=owned", everyInstance(func(i *cloud.Instance) { i.Tags = owned })},
		"AWSM-407 two tagged":  {"off every security group but one", func(in *evidence.Input) { in.Cloud.SecurityGroups.Value["sg-2"] = nil }},
		"AWSM-407 none of two": {"give one security group", func(in *evidence.Input) { in.Cloud.SecurityGroups.Value["sg-1"] = owned }},
		"AWSM-408 untagged":    {"create-tags --resources subnet-1", func(in *evidence.Input) { in.Cloud.Subnets.Value["subnet-1"] = owned }},
		"AWSM-409 tokens required, name proven": {"--instance-id i-00000005 --http-tokens optional",
			everyInstance(func(i *cloud.Instance) { i.HTTPTokens = "optional" })},
		"AWSM-409 tokens required, name not proven": {"--instance-id i-00000005 --http-tokens optional", func(in *evidence.Input) {
			everyInstance(func(i *cloud.Instance) { i.HTTPTokens = "optional" })(in)
			node(in, 5).Labels[downstream.LabelHostname] = nodeName(5) // the next start reads it
		}},
		"AWSM-409 no metadata service": {"--http-tokens optional --http-endpoint enabled", everyInstance(func(i *cloud.Instance) { i.MetadataDisabled = false })},
		"AWSM-410 no tagged table":     {"give one route table", func(in *evidence.Input) { in.Cloud.RouteTables.Value["rtb-1"] = owned }},
		"AWSM-418 hard": {"put-role-policy --role-name cp --policy-name awsmigrate-ccm-required", func(in *evidence.Input) {
			r := &in.Cloud.Roles.Value[0]
			r.Allowed, r.Denied = append(r.Allowed, r.Denied...), nil
		}},
		"AWSM-421 pod network":    {"hostNetworking: true", func(in *evidence.Input) { in.DaemonSets.Value[0].HostNetwork = true }},
		"AWSM-422 runs":           {"delete-tags --resources i-99999999", func(in *evidence.Input) { in.Cloud.Unclaimed.Value = nil }},
		"AWSM-423 two VPCs":       {"move the nodes", everyInstance(func(i *cloud.Instance) { i.VPC = "vpc-1" })},
		"AWSM-501 migration off":  {"install aws-ebs-csi-driver", driverEverywhere},
		"AWSM-501 driver missing": {"install aws-ebs-csi-driver", driverEverywhere},
		"AWSM-502 KCM":            {"then remove CSIMigrationAWS=false", driverEverywhere},
		"AWSM-503 upgrade": {"ecr-credential-provider", func(in *evidence.Input) {
			node(in, 5).Annotations[downstream.AnnotationArgs] = `["agent","--kubelet-arg=cloud-provider=external","--kubelet-arg=image-credential-provider-config=/etc/x"]`
		}},
		"AWSM-601 in default":          {"helm -n default uninstall aws-cloud-controller-manager", withoutReleases},
		"AWSM-602 HelmChartConfig":     {"kubectl -n kube-system delete helmchartconfig aws-cloud-controller-manager", func(in *evidence.Input) { in.Charts.Value = nil }},
		"AWSM-603 by hand":             {"kubectl delete clusterrole system:cloud-controller-manager", func(in *evidence.Input) { in.CCMObjects.Value = nil }},
		"AWSM-604 zero pods":           {"node selector, tolerations", rolledOut},
		"AWSM-605 upstream's default":  {"nodeSelector: {node-role.kubernetes.io/control-plane: \"true\"}", rolledOut},
		"AWSM-606 value true":          {"operator Exists", rolledOut},
		"AWSM-607 too new":             {"the version matrix", func(in *evidence.Input) { in.ImageAllowed = func(string, string, string) error { return nil } }},
		"AWSM-608 refused":             {"exempt kube-system", func(in *evidence.Input) { in.Admission.Value = downstream.Admission{Allowed: true} }},
		"AWSM-609 undecided":           {"--cloud-routes on or off", func(in *evidence.Input) { in.CloudRoutes = "on" }},
		"AWSM-610 routes without CIDR": {"--configure-cloud-routes=false", chartArgs()},
		"AWSM-611 crash loop":          {"logs ccm-0 --previous", func(in *evidence.Input) { in.CCMPods.Value[0].Waiting, in.CCMPods.Value[0].Restarts = "", 0 }},
		"AWSM-612 no leader": {"look at the CCM's log", func(in *evidence.Input) {
			in.Leases.Value.CCM = heldBy("ip-10-0-0-11_b", "aws-cloud-controller-manager")
		}},
		"AWSM-613 runs":    {"disable-cloud-controller: true", func(in *evidence.Input) { in.StaticPods.Value = in.StaticPods.Value[:3] }},
		"AWSM-615 pending": {"repairs it", withoutReleases},
	}
}

// After the fix, the whole audit passes: nothing is left over or newly broken.
func TestFixesMend(t *testing.T) {
	all := mends()
	done := map[string]bool{}
	for _, tc := range checkTraps() {
		name := tc.id + " " + tc.name
		m, has := all[name]
		if !has {
			continue
		}
		done[name] = true
		t.Run(name, func(t *testing.T) {
			in := healthy(t, tc.at)
			if !slices.Contains(printed, name) {
				in.Fingerprint = nil
			}
			tc.breaks(&in)
			if fixes := fixesOf(audit(t, in), tc); !strings.Contains(fixes, m.fix) {
				t.Errorf("the fix is %q, want %q in it", fixes, m.fix)
			}
			m.does(&in)
			for id, status := range wrong(audit(t, in)) {
				t.Errorf("mended, and still %s is %s", id, status)
			}
		})
	}
	for name := range all {
		if !done[name] {
			t.Errorf("%s is no trap", name)
		}
	}
	if len(done) < 40 {
		t.Errorf("%d traps are mended, want 40 at least", len(done))
	}
}

// fixesOf returns the fixes of a trap's findings.
func fixesOf(r verify.Report, tc trap) string {
	var fixes []string
	for _, res := range r.Results {
		for _, f := range res.Findings {
			if res.ID == tc.id && f.Status == tc.want {
				fixes = append(fixes, f.Fix, res.Fix)
			}
		}
	}
	return strings.Join(fixes, "\n")
}
