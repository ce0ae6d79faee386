package checks

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"

	"github.com/awsmigrate/awsmigrate/pkg/verify/checks/evidence"
	"github.com/awsmigrate/awsmigrate/pkg/verify/cloud"
	"github.com/awsmigrate/awsmigrate/pkg/verify/downstream"
)

// anyCommand matches the command that a fix is, or ends with.
var anyCommand = regexp.MustCompile(`(?:^|: )((?:aws (?:ec2|iam)|kubectl|helm|awsmigrate) .*)$`)

// known lists the printed commands with their effect on the cluster. Each effect reports whether
// the named objects exist. A read-only command has no effect.
var known = []struct {
	form *regexp.Regexp
	does func(in *evidence.Input, m []string) bool
}{
	{regexp.MustCompile(`^kubectl -n (\S+) logs (\S+?)(?: --previous)?$`), podIsThere},
	{regexp.MustCompile(`^kubectl -n (\S+) describe pod (\S+)$`), podIsThere},
	{regexp.MustCompile(`^kubectl -n (\S+) describe service (\S+)$`), func(in *evidence.Input, m []string) bool {
		return slices.ContainsFunc(in.Services.Value, func(s downstream.Service) bool { return s.Namespace == m[1] && s.Name == m[2] })
	}},
	{regexp.MustCompile(`^kubectl label node (\S+)((?: (?:topology|failure-domain\.beta)\.kubernetes\.io/(?:zone|region)=\S+)+) --overwrite$`), onNode(func(n *downstream.Node, m []string) {
		for _, label := range strings.Fields(m[2]) {
			key, value, _ := strings.Cut(label, "=")
			n.Labels[key] = value
		}
	})},
	{regexp.MustCompile(`^kubectl uncordon (\S+)$`), onNode(func(n *downstream.Node, _ []string) { n.Unschedulable = false })},
	{regexp.MustCompile(`^kubectl cordon (\S+)$`), onNode(func(n *downstream.Node, _ []string) { n.Unschedulable = true })},
	{regexp.MustCompile(`^kubectl taint node (\S+) (\S+)-$`), onNode(func(n *downstream.Node, m []string) {
		n.Taints = slices.DeleteFunc(slices.Clone(n.Taints), func(t downstream.Taint) bool { return t.Key == m[2] })
	})},
	{regexp.MustCompile(`^kubectl patch node (\S+) --type=merge -p '\{"spec":\{"providerID":"(aws:///[a-z0-9-]+/(i-[0-9a-f]+))"\}\}'$`), func(in *evidence.Input, m []string) bool {
		at := slices.IndexFunc(in.Cloud.Unclaimed.Value, func(i cloud.Instance) bool { return i.ID == m[3] })
		if at < 0 || !onNode(func(n *downstream.Node, m []string) { n.ProviderID = m[2] })(in, m) {
			return false
		}
		in.Cloud.Instances.Value[m[3]] = in.Cloud.Unclaimed.Value[at]
		in.Cloud.Unclaimed.Value = slices.Delete(slices.Clone(in.Cloud.Unclaimed.Value), at, at+1)
		return true
	}},
	{regexp.MustCompile(`^kubectl -n (\S+) scale (\S+)/(\S+) --replicas=0$`), idle},
	{regexp.MustCompile(`^kubectl -n (\S+) patch (\S+)/(\S+) --type=merge -p '\{"spec":\{"suspend":true\}\}'$`), idle},
	{regexp.MustCompile(`^kubectl -n kube-system create role (\S+) --verb=get,update,patch --resource=leases\.coordination\.k8s\.io --resource-name=cloud-provider-extraction-migration && ` +
		`kubectl -n kube-system create rolebinding (\S+) --role=(\S+) --user=system:kube-controller-manager$`), func(in *evidence.Input, m []string) bool {
		in.Rights.Value.Get, in.Rights.Value.Update = true, true
		return m[1] == m[3]
	}},
	{regexp.MustCompile(`^helm -n (\S+) uninstall (\S+)$`), func(in *evidence.Input, m []string) bool {
		before := len(in.Releases.Value)
		in.Releases.Value = slices.DeleteFunc(slices.Clone(in.Releases.Value), func(r downstream.Release) bool { return r.Namespace == m[1] && r.Name == m[2] })
		removeObjects(in, func(o downstream.Object) bool { return o.Owner == "helm "+m[1]+"/"+m[2] })
		return len(in.Releases.Value) < before
	}},
	{regexp.MustCompile(`^kubectl -n (\S+) delete (helmchart|helmchartconfig) (\S+)$`), func(in *evidence.Input, m []string) bool {
		before := len(in.Charts.Value)
		in.Charts.Value = slices.DeleteFunc(slices.Clone(in.Charts.Value), func(c downstream.Chart) bool {
			return c.Namespace == m[1] && strings.EqualFold(c.Kind, m[2]) && c.Name == m[3]
		})
		return len(in.Charts.Value) < before
	}},
	{regexp.MustCompile(`^kubectl delete (\S+) (\S+)(?: -n (\S+))?$`), func(in *evidence.Input, m []string) bool {
		return removeObjects(in, func(o downstream.Object) bool {
			return strings.EqualFold(o.Kind, m[1]) && o.Name == m[2] && o.Namespace == m[3]
		})
	}},
	{regexp.MustCompile(`^aws ec2 create-tags --resources (\S+) --tags Key=(\S+),Value=(\w+) --region (us-east-1|us-west-2)$`), func(in *evidence.Input, m []string) bool {
		x, is := in.Cloud.Instances.Value[m[1]]
		if is && evidence.RegionOf(x) == m[4] {
			x.Tags = cloud.Tags{m[2]: m[3]}
			in.Cloud.Instances.Value[m[1]] = x
			return true
		}
		if _, is = in.Cloud.Subnets.Value[m[1]]; is {
			in.Cloud.Subnets.Value[m[1]] = cloud.Tags{m[2]: m[3]}
		}
		return is
	}},
	{regexp.MustCompile(`^aws ec2 delete-tags --resources (\S+) --tags Key=\S+ --region (us-east-1|us-west-2)$`), func(in *evidence.Input, m []string) bool {
		before := len(in.Cloud.Unclaimed.Value)
		in.Cloud.Unclaimed.Value = slices.DeleteFunc(slices.Clone(in.Cloud.Unclaimed.Value), func(i cloud.Instance) bool { return i.ID == m[1] })
		return len(in.Cloud.Unclaimed.Value) < before
	}},
	{regexp.MustCompile(`^aws ec2 modify-instance-metadata-options --instance-id (\S+) --http-tokens optional( --http-endpoint enabled)? --region (us-east-1|us-west-2)$`), func(in *evidence.Input, m []string) bool {
		x, is := in.Cloud.Instances.Value[m[1]]
		x.HTTPTokens, x.MetadataDisabled = "optional", x.MetadataDisabled && m[2] == ""
		in.Cloud.Instances.Value[m[1]] = x
		return is
	}},
	{regexp.MustCompile(`^aws iam put-role-policy --role-name (\S+) --policy-name \S+ --policy-document '(.*)'$`), func(in *evidence.Input, m []string) bool {
		var p struct {
			Statement []struct {
				Action   []string
				Resource string
			}
		}
		if json.Unmarshal([]byte(m[2]), &p) != nil || len(p.Statement) != 1 {
			return false
		}
		for i := range in.Cloud.Roles.Value {
			r := &in.Cloud.Roles.Value[i]
			r.Denied = slices.DeleteFunc(slices.Clone(r.Denied), func(a string) bool {
				return strings.HasSuffix(r.Role, "/"+m[1]) && slices.Contains(p.Statement[0].Action, a) && !slices.Contains(r.Forbidden, a)
			})
		}
		return true
	}},
}

// follow applies a command to the cluster. It reports whether the command is read-only, and
// whether it is known and names existing objects.
func follow(in *evidence.Input, command string) (looks, does bool) {
	for i, k := range known {
		if m := k.form.FindStringSubmatch(command); m != nil {
			return i < 3, k.does(in, m)
		}
	}
	return false, false
}

func onNode(does func(n *downstream.Node, m []string)) func(*evidence.Input, []string) bool {
	return func(in *evidence.Input, m []string) bool {
		for i := range in.Nodes.Value {
			if in.Nodes.Value[i].Name == m[1] {
				does(&in.Nodes.Value[i], m)
				return true
			}
		}
		return false
	}
}

func podIsThere(in *evidence.Input, m []string) bool {
	return slices.ContainsFunc(slices.Concat(in.StaticPods.Value, in.CCMPods.Value), func(p downstream.Pod) bool { return p.Namespace == m[1] && p.Name == m[2] })
}

func idle(in *evidence.Input, m []string) bool {
	found := false
	for i, w := range in.Workloads.Value {
		if w.Namespace == m[1] && strings.EqualFold(w.Kind, m[2]) && w.Name == m[3] {
			in.Workloads.Value[i].Replicas, found = 0, true
		}
	}
	return found
}

// removeObjects deletes objects of a CCM, with their pods.
func removeObjects(in *evidence.Input, which func(downstream.Object) bool) bool {
	before := len(in.CCMObjects.Value) + len(in.DaemonSets.Value)
	in.CCMObjects.Value = slices.DeleteFunc(slices.Clone(in.CCMObjects.Value), which)
	in.DaemonSets.Value = slices.DeleteFunc(slices.Clone(in.DaemonSets.Value), func(d downstream.DaemonSet) bool { return which(d.Object) })
	if len(in.DaemonSets.Value) == 0 {
		in.CCMPods.Value = nil
	}
	return len(in.CCMObjects.Value)+len(in.DaemonSets.Value) < before
}
