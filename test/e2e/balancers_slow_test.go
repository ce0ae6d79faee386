//go:build slow

package e2e

import (
	"context"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/awsmigrate/awsmigrate/test/scenario"
)

// kinds are Services with load balancers of each kind, next to the lab's own. GROUP is a security
// group.
const kinds = `
apiVersion: v1
kind: Service
metadata: {name: classic, namespace: default}
spec: {type: LoadBalancer, ports: [{port: 80}]}
---
apiVersion: v1
kind: Service
metadata: {name: two-ports, namespace: default}
spec: {type: LoadBalancer, ports: [{name: a, port: 80}, {name: b, port: 81}]}
---
apiVersion: v1
kind: Service
metadata: {name: groups, namespace: default, annotations: {service.beta.kubernetes.io/aws-load-balancer-extra-security-groups: GROUP}}
spec: {type: LoadBalancer, ports: [{port: 80}]}
---
apiVersion: v1
kind: Service
metadata: {name: internal, namespace: default, annotations: {service.beta.kubernetes.io/aws-load-balancer-internal: "true", service.beta.kubernetes.io/aws-load-balancer-connection-idle-timeout: "120"}}
spec: {type: LoadBalancer, ports: [{port: 80}], loadBalancerSourceRanges: [10.0.0.0/8]}
---
apiVersion: v1
kind: Service
metadata: {name: local, namespace: default}
spec: {type: LoadBalancer, externalTrafficPolicy: Local, ports: [{port: 80}]}
---
apiVersion: v1
kind: Service
metadata: {name: network, namespace: default, annotations: {service.beta.kubernetes.io/aws-load-balancer-type: nlb}}
spec: {type: LoadBalancer, externalTrafficPolicy: Local, ports: [{name: a, port: 443}, {name: b, port: 8443}], loadBalancerSourceRanges: [10.0.0.0/8, 192.168.0.0/16]}
---
apiVersion: v1
kind: Service
metadata: {name: lbc, namespace: default}
spec: {type: LoadBalancer, loadBalancerClass: service.k8s.aws/nlb, ports: [{port: 80}]}
`

// TestBalancers migrates and undoes a lab with load balancers of each kind: nothing changes in AWS.
// Then it migrates with a cloud controller manager that changes each of them in another way, and
// with one that creates one anew. The hand-over stops and names every change, and undo restores
// all but the host name, which it names.
func TestBalancers(t *testing.T) {
	b := balancers{lab: boot(t, "--lease", quick)}
	ctx := within(t, 40*time.Minute)
	b.served(ctx, t)
	for _, part := range []struct {
		name string
		run  func(context.Context, *testing.T)
	}{
		{"unchanged there and back", b.thereAndBack},
		{"changed by the cloud controller manager", b.changed},
		{"created anew by the cloud controller manager", b.createdAnew},
	} {
		if !t.Run(part.name, func(t *testing.T) { part.run(ctx, t) }) {
			return
		}
	}
}

type balancers struct {
	lab   *scenario.Lab
	hosts map[string]string // of Services
}

// served creates the Services, and has the in-tree provider reconcile the network load balancer a
// second time: from then on it repeats ModifyTargetGroup at every start.
func (b *balancers) served(ctx context.Context, t *testing.T) {
	t.Helper()
	group, err := b.lab.CreateSecurityGroup(ctx, "extra")
	must(t, err)
	_, err = b.lab.Kubectl(ctx, strings.ReplaceAll(kinds, "GROUP", group), "apply", "-f", "-")
	must(t, err)
	b.hosts, err = b.lab.WaitHostnames(ctx, "web", "classic", "two-ports", "groups", "internal", "local", "network")
	must(t, err)
	created := time.Now()
	_, err = b.lab.Kubectl(ctx, "", "-n", "default", "annotate", "service", "network", "lab/again=yes")
	must(t, err)
	must(t, scenario.Until(ctx, "the in-tree provider to reconcile the network load balancer", func(context.Context) (bool, string, error) {
		writes, err := b.lab.NewBalancerWrites(created)
		return strings.Contains(strings.Join(writes, "\n"), "elbv2:ModifyTargetGroup"), strings.Join(writes, ", "), err
	}))
}

func (b *balancers) thereAndBack(ctx context.Context, t *testing.T) {
	for _, name := range []string{"", "undo"} {
		flags := map[string][]string{"": {"--yes", "--hand-over", "early"}, "undo": {"--yes"}}[name]
		since := time.Now()
		code, stdout, stderr, err := b.lab.Awsmigrate(ctx, testWriter{t}, b.lab.Command(name, flags...)...)
		if err != nil || code != 0 || !strings.Contains(stdout, "load balancers in AWS unchanged: 7") {
			t.Fatalf("%s: exit %d, %v\n%s%s", name, code, err, stdout, stderr)
		}
		writes, err := b.lab.NewBalancerWrites(since)
		must(t, err)
		if len(writes) > 0 {
			t.Errorf("%s: AWS was changed:\n%s", name, strings.Join(writes, "\n"))
		}
	}
}

// otherwise are annotations as the other cloud controller manager sees them on a Service, and the
// change that the run must name.
type otherwise struct{ service, annotations, change string }

// changed hands over to a cloud controller manager that sees other annotations on five Services.
// A person changes a sixth before the hand-over: the cloud controller manager is not blamed.
func (b *balancers) changed(ctx context.Context, t *testing.T) {
	truth, err := b.lab.Truth(ctx)
	must(t, err)
	subnets := slices.Sorted(maps.Keys(truth.Subnets))
	all := []otherwise{
		{"classic", "aws-load-balancer-healthcheck-interval=25", "health checks: "},
		{"two-ports", "aws-load-balancer-backend-protocol=http", "listeners: "},
		{"groups", "aws-load-balancer-extra-security-groups=", "security groups: "},
		{"internal", "aws-load-balancer-subnets=" + subnets[0], "subnets: "},
		{"network", "aws-load-balancer-cross-zone-load-balancing-enabled=true", "attributes: "},
	}
	before, said := b.handsOver(ctx, t, all...)
	if !strings.Contains(before, "before the hand-over, by kube-controller-manager or by a person") || !strings.Contains(before, "Service default/local health checks: ") {
		t.Errorf("the person's change is not named:\n%s", before)
	}
	for _, o := range all {
		if !strings.Contains(said, "Service default/"+o.service+" "+o.change) {
			t.Errorf("%q of %s is not named", o.change, o.service)
		}
	}
	for _, unchanged := range []string{"web", "local", "lbc"} {
		if strings.Contains(said, "default/"+unchanged+" ") {
			t.Errorf("%s is blamed", unchanged)
		}
	}
	if code, said := b.goesBack(ctx, t); code != 0 || !strings.Contains(said, "load balancers in AWS unchanged: 7") {
		t.Errorf("undo has not restored them: exit %d\n%s", code, said)
	}
}

// createdAnew hands over to a cloud controller manager that deletes a load balancer and creates it
// again.
func (b *balancers) createdAnew(ctx context.Context, t *testing.T) {
	_, said := b.handsOver(ctx, t, otherwise{service: "local", annotations: "anew"})
	if !strings.Contains(said, "Service default/local: load balancer") || !strings.Contains(said, "wanted   load balancer "+b.hosts["local"]) {
		t.Error("the host name is not named")
	}
	if code, said := b.goesBack(ctx, t); code != 3 || !strings.Contains(said, "point clients to the new one") {
		t.Errorf("undo does not name the host name: exit %d\n%s", code, said)
	}
	if code, said := b.goesBack(ctx, t, "--skip", "AWSM-801=clients know the new host name"); code != 0 {
		t.Errorf("the end of the undo: exit %d\n%s", code, said)
	}
}

// handsOver migrates with the other cloud controller manager, which must stop the run at the
// hand-over. A person changes the health check of Service local just before. It returns what the
// run says until the hand-over stops, and from then on.
func (b *balancers) handsOver(ctx context.Context, t *testing.T, all ...otherwise) (before, said string) {
	t.Helper()
	for _, o := range all {
		_, err := b.lab.Kubectl(ctx, "", "-n", "default", "annotate", "service", o.service, "lab/otherccm="+o.annotations)
		must(t, err)
	}
	flags := []string{"--hand-over", "early", "--ccm-image", "lab/otherccm/cloud-controller-manager:v1.26.14"}
	migrate(ctx, t, b.lab, 0, append(flags, "--until", "install-ccm")...)
	must(t, b.lab.SlowHealthCheck(ctx, b.hosts["local"]))
	before, said, stopped := strings.Cut(migrate(ctx, t, b.lab, 3, flags...), "✗  hand-over")
	if !stopped {
		t.Fatalf("it did not stop at the hand-over:\n%s", before)
	}
	return before, said
}

// goesBack undoes the migration and returns the exit code and what the command prints.
func (b *balancers) goesBack(ctx context.Context, t *testing.T, flags ...string) (code int, said string) {
	t.Helper()
	code, stdout, stderr, err := b.lab.Awsmigrate(ctx, testWriter{t}, b.lab.Command("undo", append([]string{"--yes"}, flags...)...)...)
	must(t, err)
	_, err = b.lab.Kubectl(ctx, "", "-n", "default", "annotate", "service", "--all", "lab/otherccm-")
	must(t, err)
	return code, stdout + stderr
}
