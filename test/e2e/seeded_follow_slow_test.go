//go:build slow

package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/awsmigrate/awsmigrate/test/lab/aws"
	"github.com/awsmigrate/awsmigrate/test/remedy/tool"
	"github.com/awsmigrate/awsmigrate/test/scenario"
)

// administrator is a person at a shell who breaks the lab, follows fixes and heals it.
type administrator struct {
	lab *scenario.Lab
	env []string
}

// words holds the shell functions that the lines of breakages use besides the environment. save
// and restore keep an object unchanged. renode recreates a Node as a sed script changes it,
// since its ProviderID cannot be changed. serve creates a Service whose load balancer has the type
// $2, name prints the name of a Service's load balancer, another creates a classic one, and sync
// makes the cloud provider reconcile the lab's Service.
const words = `set -e
mgmt() { kubectl --kubeconfig "$MANAGEMENT" -n fleet-default "$@"; }
system() { kubectl -n kube-system "$@"; }
lever() { lab "$@" --dir "$LAB" >/dev/null; }
tag() { aws ec2 create-tags --region us-east-1 --resources "$1" --tags "$2"; }
untag() { aws ec2 delete-tags --region us-east-1 --resources "$1" --tags "$2"; }
policy() { aws iam put-role-policy --role-name control-plane --policy-name cluster --policy-document "$1"; }
save() { system get $1 $2 -o yaml | sed -E '/^  (uid|resourceVersion|creationTimestamp|generation):/d' >"$STATE/$1-$2"; }
restore() { kubectl create -f "$STATE/$1-$2" 2>/dev/null || kubectl replace -f "$STATE/$1-$2"; }
renode() { sed -E "$1" "$STATE/node-$WORKER" >"$STATE/node"; kubectl delete node $WORKER; kubectl create -f "$STATE/node"; }
metadata() { aws ec2 modify-instance-metadata-options --region us-east-1 --instance-id "$@"; }
elb() { aws elb "$@" --region us-east-1; }
rule() { aws ec2 "$1-security-group-ingress" --region us-east-1 --group-id $WORKER_GROUP --protocol tcp --port 8080 --cidr "$2"; }
name() { kubectl get service $1 -o jsonpath='a{.metadata.uid}' | tr -d - | cut -c 1-32; }
serve() {
	printf '{"apiVersion": "v1", "kind": "Service", "metadata": {"name": "%s", "annotations": {"service.beta.kubernetes.io/aws-load-balancer-type": "%s"}},
		"spec": {"type": "LoadBalancer", "ports": [{"port": 80}]}}' "$1" "$2" | kubectl create -f -
	for i in $(seq 60); do kubectl get service $1 -o yaml | grep -q hostname: && return; sleep 0.5; done; return 1
}
another() { elb create-load-balancer --load-balancer-name $1 --listeners Protocol=TCP,LoadBalancerPort=80,InstancePort=30080 --subnets $WORKER_SUBNET --tags Key=kubernetes.io/cluster/$CLUSTER,Value=owned; }
sync() { kubectl annotate service web lab/sync=$(date +%s) --overwrite; }
`

func newAdministrator(ctx context.Context, t *testing.T, lab *scenario.Lab, position string) *administrator {
	t.Helper()
	tools := t.TempDir()
	must(t, tool.Link(tools))
	env, err := lab.Administrator(ctx, tools)
	must(t, err)
	a := &administrator{lab: lab, env: append(env, "LAB="+lab.Dir, "STATE="+t.TempDir(), "HOME="+t.TempDir(),
		"MANAGEMENT="+lab.Kubeconfig("management"), "DOWNSTREAM="+lab.Kubeconfig("downstream"))}
	truth, err := lab.Truth(ctx)
	must(t, err)
	for _, m := range truth.Machines { // of each kind the last one counts
		kind := "WORKER"
		if m.ControlPlane() {
			kind = "PLANE"
		}
		i := truth.Instances[m.Instance]
		a.env = append(a.env, kind+"="+m.Node, kind+"_MACHINE="+m.Name, kind+"_INSTANCE="+m.Instance, kind+"_ZONE="+i.Zone, kind+"_SUBNET="+i.Subnet, kind+"_GROUP="+i.Groups[0])
	}
	other := "us-east-1a"
	if slices.Contains(a.env, "WORKER_ZONE="+other) {
		other = "us-east-1b"
	}
	a.env = append(a.env, "CLUSTER="+truth.Cluster(), "OTHER_ZONE="+other)
	a.env = append(a.env, policies(t, position)...)
	return a
}

// run runs lines of shell and returns their output.
func (a *administrator) run(ctx context.Context, lines string) (string, error) {
	cmd := exec.CommandContext(ctx, "sh", "-c", words+lines)
	cmd.Env = a.env
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// sh runs lines that must succeed.
func (a *administrator) sh(ctx context.Context, t *testing.T, lines string) {
	t.Helper()
	if out, err := a.run(ctx, lines); err != nil {
		t.Fatalf("%s\n%v: %s", lines, err, out)
	}
}

// shownWithin bounds how long an API may show an outdated state: kubelets check their
// containers every ten seconds.
const shownWithin = 30 * time.Second

// audit runs `awsmigrate verify` as the operator, with the lab's AWS, and compares it with the
// lab's own state. A fault that the lab had before and after the audit, and that the audit does
// not report, fails the test.
func (a *administrator) audit(ctx context.Context, t *testing.T) (report auditReport) {
	t.Helper()
	patient, cancel := context.WithTimeout(ctx, shownWithin)
	defer cancel()
	if err := scenario.Until(patient, "the audit to contradict nothing", func(context.Context) (bool, string, error) {
		before, err := a.lab.Truth(ctx)
		must(t, err)
		_, report = auditOf(ctx, t, a.lab, "--cluster", "demo")
		lies := contradictions(report, before)
		if len(lies) == 0 {
			return true, "", nil
		}
		after, err := a.lab.Truth(ctx)
		must(t, err)
		still := contradictions(report, after)
		lies = slices.DeleteFunc(lies, func(lie string) bool { return !slices.Contains(still, lie) })
		return len(lies) == 0, strings.Join(lies, "; "), nil
	}); err != nil {
		t.Error(err)
	}
	return report
}

// command is a fix that a shell can run, and the check that gave it.
type command struct{ check, line string }

// looks reports whether the command only reads, so that it resolves nothing.
func (c command) looks() bool {
	return regexp.MustCompile(`^kubectl( -n \S+)? (logs|get|describe) |^awsmigrate `).MatchString(c.line)
}

// program matches the beginning of a command within a fix: at its start or after a colon.
var program = regexp.MustCompile(`(?:^|: )((?:kubectl|helm|aws|awsmigrate|rke) .*)$`)

// commandFixes returns the fixes of the checks that a breakage has turned, if they are commands.
func (r auditReport) commandFixes(healthy auditReport) []command {
	var all []command
	for _, check := range r.Checks {
		if check.Status == "ok" || check.Status == "skip" || check.Status == healthy.status(check.ID) {
			continue
		}
		for _, f := range check.Findings {
			fix := f.Fix
			if fix == "" {
				fix = check.Fix
			}
			if found := program.FindStringSubmatch(fix); found != nil && f.Status != "ok" {
				all = append(all, command{check.ID, found[1]})
			}
		}
	}
	slices.SortStableFunc(all, func(a, b command) int { return strings.Compare(a.check, b.check) })
	return slices.Compact(all)
}

// follow runs a command as a person pastes it, and returns the outcome.
func (a *administrator) follow(ctx context.Context, t *testing.T, c command, broken auditReport, mayWarn []string) string {
	t.Helper()
	cmd := exec.CommandContext(ctx, "sh", "-c", c.line)
	cmd.Env = a.env
	out, err := cmd.CombinedOutput()
	switch {
	case err != nil && strings.Contains(string(out), "/containerLogs/"):
		return c.line + ": the lab's kubelets serve no logs"
	case err != nil:
		t.Errorf("%s: %s: %v: %s", c.check, c.line, err, out)
		return c.line + ": " + err.Error()
	}
	if c.looks() {
		return c.line + ": looked"
	}
	if err := a.settles(ctx, t, c.check+" to be ok after "+c.line, func(r auditReport) []string {
		var left []string
		for _, check := range r.Checks {
			was := broken.status(check.ID)
			warns := check.Status == "warn" && slices.Contains(mayWarn, check.ID)
			if check.ID == c.check && check.Status != "ok" && !warns || check.isWrong() && (was == "ok" || was == "skip") {
				left = append(left, fmt.Sprintf("%s is %s, was %s: %+v", check.ID, check.Status, was, check.Findings))
			}
		}
		return left
	}); err != nil {
		t.Errorf("%s: %v", c.check, err)
		return c.line + ": NOT OK"
	}
	return c.line + ": ok"
}

// turnedChecks returns the checks that a breakage has turned, with their status.
func (r auditReport) turnedChecks(healthy auditReport) []string {
	var all []string
	for _, c := range r.Checks {
		if c.Status != "ok" && c.Status != "skip" && c.Status != healthy.status(c.ID) {
			all = append(all, strings.TrimPrefix(c.ID, "AWSM-")+" "+c.Status)
		}
	}
	return all
}

// findings returns the findings of the checks that are not green.
func (r auditReport) findings() []string {
	var all []string
	for _, c := range r.Checks {
		if c.Status != "ok" && c.Status != "skip" {
			all = append(all, fmt.Sprintf("%s %s %+v", c.ID, c.Status, c.Findings))
		}
	}
	return all
}

// policies returns the policies of the control planes' role, complete and with one action
// missing. A fix leaves its action allowed, so each position uses other actions.
func policies(t *testing.T, position string) []string {
	t.Helper()
	all := aws.DefaultPolicies()[aws.RoleControlPlane]
	needed := map[string]string{"P0": "ec2:DescribeVpcs", "P3": "ec2:DescribeSubnets", "P5": "ec2:DescribeSecurityGroups"}[position]
	optional := map[string]string{"P0": "elasticloadbalancing:DeregisterTargets", "P3": "elasticloadbalancing:SetSecurityGroups", "P5": "ec2:DescribeInstanceTopology"}[position]
	balancers := map[string]string{"P0": "CreateLoadBalancer", "P3": "ConfigureHealthCheck", "P5": "RegisterInstancesWithLoadBalancer"}[position]
	without := func(action string) []string {
		return slices.DeleteFunc(slices.Clone(all), func(a string) bool { return a == action })
	}
	document := func(name string, allowed []string, denied ...string) string {
		d := aws.Document{Version: "2012-10-17", Statement: []aws.Statement{{Effect: "Allow", Action: allowed, Resource: "*"}}}
		if len(denied) > 0 {
			d.Statement = append(d.Statement, aws.Statement{Effect: "Deny", Action: denied, Resource: "*"})
		}
		text, err := json.Marshal(d)
		must(t, err)
		return name + "=" + string(text)
	}
	return []string{
		document("POLICY", all), document("LACKS_NEEDED", without(needed)), document("LACKS_OPTIONAL", without(optional)),
		document("DENIES", all, "ec2:DescribeRouteTables"), document("NO_BALANCERS", without("elasticloadbalancing:"+balancers)),
	}
}
