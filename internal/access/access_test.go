package access

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	rbacv1 "k8s.io/api/rbac/v1"
	"sigs.k8s.io/yaml"

	"github.com/awsmigrate/awsmigrate/internal/job"
	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/verify/aws"
	"github.com/awsmigrate/awsmigrate/pkg/verify/cloud"
	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

func rke2() Cluster {
	return Cluster{Distribution: wellknown.RKE2, Asked: "prod", AskedIn: "fleet-default", Namespace: "fleet-default", Name: "prod", Kept: true}
}

func rke() Cluster {
	return Cluster{Distribution: wellknown.RKE, Asked: "old", AskedIn: "fleet-default", Namespace: "team-a", Name: "c-7kq2x", Kept: true}
}

// words returns rights as text: verb, resource, namespace and name.
func words(rights []Right) []string {
	var all []string
	for _, r := range rights {
		resource := r.Resource
		if r.Group != "" {
			resource += "." + r.Group
		}
		all = append(all, strings.TrimSpace(r.Verb+" "+resource+" "+r.Namespace+"/"+r.Name))
	}
	slices.Sort(all)
	return all
}

// In Rancher's cluster an audit needs the rights of the table in docs/permissions.md, and no Secret if the
// cluster is reached another way.
func TestInRancher_audit_documentedRights(t *testing.T) {
	of2 := []string{
		"get amazonec2configs.rke-machine-config.cattle.io fleet-default/",
		"get beacons.plan.cattle.io fleet-default/prod", "get clusters.cluster.x-k8s.io fleet-default/prod", "get clusters.provisioning.cattle.io fleet-default/prod",
		"get configmaps fleet-default/awsmigrate-prod", "get rkecontrolplanes.rke.cattle.io fleet-default/prod",
		"get secrets fleet-default/prod-kubeconfig", "get settings.management.cattle.io /server-version",
		"list machines.cluster.x-k8s.io fleet-default/",
	}
	if diff := cmp.Diff(of2, words(rke2().InRancher(Audit))); diff != "" {
		t.Errorf("RKE2 (-want +got):\n%s", diff)
	}
	of1 := []string{
		"get clusters.management.cattle.io /c-7kq2x", "get clusters.provisioning.cattle.io fleet-default/old", "get clusters.provisioning.cattle.io team-a/c-7kq2x",
		"get configmaps c-7kq2x/awsmigrate-c-7kq2x", "get secrets team-a/c-7kq2x-kubeconfig", "list clusters.management.cattle.io /",
		"list clusters.provisioning.cattle.io /", "list nodes.management.cattle.io c-7kq2x/",
	}
	if diff := cmp.Diff(of1, words(rke().InRancher(Audit))); diff != "" {
		t.Errorf("RKE (-want +got):\n%s", diff)
	}
	for _, c := range []Cluster{rke2(), rke()} {
		c.Kept = false
		for _, p := range []Purpose{Audit, Run} {
			if slices.ContainsFunc(c.InRancher(p), func(r Right) bool { return r.Resource == "secrets" && r.Name != "" }) {
				t.Errorf("%s of %s: a kubeconfig is read that is not the way", p, c.Name)
			}
		}
	}
}

// A run needs the rights of its Job. Its undo also needs the Secrets that an edit has kept.
func TestInRancher_run_jobRights(t *testing.T) {
	for _, c := range []Cluster{rke2(), rke()} {
		c.CloudConfig = job.SecretReference{Namespace: "fleet-default", Name: "cloud"}
		var granted []Right
		for _, scope := range (job.Options{Distribution: c.Distribution, Cluster: c.Name, Namespace: c.Namespace, CloudConfig: c.CloudConfig}).Rights() {
			granted = append(granted, flatten(scope.Namespace, scope.Rules)...)
		}
		if c.Distribution == wellknown.RKE {
			granted = append(granted, Right{Verb: "get", Resource: "secrets", Namespace: c.Name})
		}
		if diff := cmp.Diff(words(granted), words(c.InRancher(Run))); diff != "" {
			t.Errorf("%s: the Job's (-), asked for (+):\n%s", c.Name, diff)
		}
	}
}

// The documented roles grant what an audit needs in Rancher's cluster, except the Secrets, and nothing that
// neither an audit nor `list` reads.
func TestInRancher_documentedRole_suffices(t *testing.T) {
	role, err := documentedRights("awsmigrate-audit-rancher")
	if err != nil {
		t.Fatal(err)
	}
	gives := func(r Right) bool {
		return slices.Contains(role, Right{Verb: r.Verb, Group: r.Group, Resource: r.Resource})
	}
	asked := map[string]bool{"leases.coordination.k8s.io": true, "clustermigrations.awsmigrate.io": true} // of list alone
	for _, c := range []Cluster{rke2(), rke()} {
		for _, r := range c.InRancher(Audit) {
			asked[strings.TrimSuffix(r.Resource+"."+r.Group, ".")] = true
			if r.Resource != "secrets" && !gives(r) {
				t.Errorf("docs/clusterrole-readonly.yaml does not let %+v", r)
			}
		}
	}
	for _, r := range role {
		if !asked[strings.TrimSuffix(r.Resource+"."+r.Group, ".")] {
			t.Errorf("docs/clusterrole-readonly.yaml lets %+v, which no audit needs", r)
		}
	}
}

// In the cluster itself an audit needs the rights of the documented roles, and for RKE the Secret with its
// state.
func TestHere_audit_documentedRights(t *testing.T) {
	needed, err := rke2().Here(Audit)
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", "clusterrole-readonly.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, document := range strings.Split(string(text), "\n---\n") {
		var role rbacv1.ClusterRole
		if err := yaml.Unmarshal([]byte(document), &role); err != nil {
			t.Fatal(err)
		}
		if role.Kind != "ClusterRole" && role.Kind != "Role" || role.Name != "awsmigrate-audit" && role.Name != "awsmigrate-audit-helm" {
			continue
		}
		for _, r := range flatten(role.Namespace, role.Rules) {
			if n++; !slices.Contains(needed, r) {
				t.Errorf("not asked for: %+v", r)
			}
		}
	}
	if n != len(needed) || n < 30 {
		t.Errorf("%d rights in the documentation, %d asked for", n, len(needed))
	}
	more, _ := rke().Here(Audit)
	if got := words(more[len(needed):]); !slices.Equal(got, []string{"get secrets kube-system/full-cluster-state"}) {
		t.Errorf("of RKE also %v", got)
	}
	all, err := rke2().Here(Run)
	if err != nil || !slices.Equal(words(all), []string{"* *.* /"}) {
		t.Errorf("a run: %v, %v", words(all), err)
	}
}

// The actions are those of the documented policy.
func TestActions_documentedPolicy_equal(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", "iam.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, block := range regexp.MustCompile("(?s)```json\n(.*?)```").FindAllStringSubmatch(string(text), -1) {
		var documented Policy
		if err := json.Unmarshal([]byte(block[1]), &documented); err != nil {
			t.Fatal(err)
		}
		if documented.Statement[0].Sid != policySid {
			continue
		}
		if diff := cmp.Diff(documented, *newPolicy(aws.Actions())); diff != "" {
			t.Errorf("docs/iam.md (-), asked for (+):\n%s", diff)
		}
		return
	}
	t.Fatal("docs/iam.md has no policy for awsmigrate itself")
}

// A manifest grants exactly its rights, and does not replace another manifest.
func TestManifest_rights_exactlyGranted(t *testing.T) {
	here, err := rke().Here(Audit)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for i, rights := range [][]Right{here, here[3:9], rke2().InRancher(Audit), rke2().InRancher(Run), rke().InRancher(Run), {here[0]}, {here[1]}} {
		text, err := Manifest(Audit, rights, "jane")
		if err != nil {
			t.Fatal(err)
		}
		given, name := granted(t, text, "jane")
		if diff := cmp.Diff(words(rights), words(given)); diff != "" {
			t.Errorf("%d: wanted (-), given (+):\n%s\n%s", i, diff, text)
		}
		if seen[name] {
			t.Errorf("two manifests have the name %s", name)
		}
		seen[name] = true
		other, _ := Manifest(Audit, rights, "joe")
		if strings.Contains(other, name) {
			t.Errorf("what joe gets would replace what jane has: %s", name)
		}
		if again, _ := Manifest(Audit, rights, "jane"); again != text {
			t.Errorf("made twice, it differs:\n%s\n%s", text, again)
		}
	}
}

// granted returns the rights that a manifest's roles grant a user, and the roles' name.
func granted(t *testing.T, text, user string) (given []Right, name string) {
	t.Helper()
	bound := map[string]bool{}
	for _, document := range strings.Split(text, "---\n") {
		var role rbacv1.Role
		var binding rbacv1.RoleBinding
		if err := errors.Join(yaml.Unmarshal([]byte(document), &role), yaml.Unmarshal([]byte(document), &binding)); err != nil {
			t.Fatal(err)
		}
		if strings.HasSuffix(role.Kind, "Role") {
			given, name = append(given, flatten(role.Namespace, role.Rules)...), role.Name
			continue
		}
		if role.Kind != "" {
			bound[strings.TrimSuffix(binding.Kind, "Binding")+binding.Namespace] = binding.RoleRef.Name == name &&
				slices.Equal(binding.Subjects, []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: "User", Name: user}})
		}
	}
	for where, right := range bound {
		if !right {
			t.Errorf("the binding of %s is of another role or user:\n%s", where, text)
		}
	}
	if len(bound) == 0 {
		t.Errorf("nothing is bound:\n%s", text)
	}
	return given, name
}

func TestManifest_subjects(t *testing.T) {
	for user, want := range map[string]string{
		"jane":                              "kind: User\n  name: jane\n",
		"system:serviceaccount:ops:auditor": "- kind: ServiceAccount\n  name: auditor\n  namespace: ops\n",
		"":                                  "name: " + NoUser + "\n",
		"a: b\nevil\x1b[2J":                 `name: "a: b\nevil\e[2J"`,
	} {
		text, err := Manifest(Run, []Right{everything()}, user)
		if err != nil || !strings.Contains(text, want) || !strings.Contains(text, "kind: ClusterRole\n  name: cluster-admin\n") {
			t.Errorf("%q, %v:\n%s", user, err, text)
		}
		if marked := strings.HasPrefix(text, "# The API did not return"); marked != (user == "") {
			t.Errorf("%q is marked as unknown: %v", user, marked)
		}
	}
	if text, err := Manifest(Audit, nil, "jane"); text != "" || err != nil {
		t.Errorf("of nothing: %q, %v", text, err)
	}
}

func TestPut_identities_commands(t *testing.T) {
	policy := newPolicy([]string{"ec2:DescribeSubnets"})
	for arn, want := range map[string]string{
		"arn:aws:iam::1:user/path/a":                      "aws iam put-user-policy --user-name a --policy-name AwsmigrateChecks-",
		"arn:aws-cn:sts::1:assumed-role/operator/session": "aws iam put-role-policy --role-name operator --policy-name AwsmigrateChecks-",
		"arn:aws:iam::1:root":                             "", "arn:aws:sts::1:federated-user/x": "", "": "",
	} {
		if got := policy.Put(arn, "p.json"); !strings.HasPrefix(got, want) || (got == "") != (want == "") {
			t.Errorf("%s: %s", arn, got)
		}
	}
}

// Missing, unknown and unread rights are problems. A part that is disabled on purpose is none.
func TestProblems(t *testing.T) {
	right := Right{Verb: "list", Resource: "nodes"}
	actions := func(allowed bool, err error) cloud.Access {
		return cloud.Access{Actions: []cloud.Asked{{Action: "ec2:DescribeSubnets", Allowed: allowed, Err: err}}}
	}
	gone := &fault.Error{Class: fault.CouldNotLook, Reason: "Unreachable", Object: "x"}
	for name, tt := range map[string]struct {
		report  Report
		reasons []string
		policy  bool
	}{
		"all is there":        {Report{Rancher: &API{Needed: []Right{right}}, Here: API{Needed: []Right{right}}, AWS: actions(true, nil)}, nil, false},
		"AWS is left out":     {Report{AWS: cloud.Access{Off: "--aws=off", Meant: true, Actions: actions(false, errors.New("not asked")).Actions}}, nil, false},
		"no AWS identity":     {Report{AWS: cloud.Access{Off: "no credentials", Actions: actions(false, errors.New("not asked")).Actions}}, []string{"NotAsked"}, true},
		"bad credentials":     {Report{AWS: cloud.Access{Err: errors.New("expired"), Actions: actions(false, errors.New("not asked")).Actions}}, []string{"Unauthorized"}, true},
		"refused in AWS":      {Report{AWS: actions(false, nil)}, []string{"Forbidden"}, true},
		"AWS is silent":       {Report{AWS: actions(false, errors.New("silent"))}, []string{"NotAllSeen"}, true},
		"missing in Rancher":  {Report{Rancher: &API{Needed: []Right{right}, Missing: []Right{right}}}, []string{"Forbidden"}, false},
		"missing and unknown": {Report{Here: API{Needed: []Right{right, right}, Missing: []Right{right}, Unknown: []Right{right}}}, []string{"Forbidden", "NotAllSeen"}, false},
		"both servers away":   {Report{Rancher: &API{Err: gone, Unknown: []Right{right}}, Here: API{Err: gone, Unknown: []Right{right}}}, []string{"Unreachable", "Unreachable"}, false},
	} {
		var reasons []string
		for _, err := range tt.report.Problems() {
			f, ok := fault.As(err)
			if !ok || f.Class != fault.CouldNotLook {
				t.Errorf("%s: %v", name, err)
				continue
			}
			reasons = append(reasons, f.Reason)
		}
		if !slices.Equal(reasons, tt.reasons) || (tt.report.Policy() != nil) != tt.policy {
			t.Errorf("%s: %v, policy %v", name, reasons, tt.report.Policy())
		}
	}
}
