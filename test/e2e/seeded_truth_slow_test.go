//go:build slow

package e2e

import (
	"fmt"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/awsmigrate/awsmigrate/test/scenario"
)

// fact is a fault that the lab knows of, with the checks of which at least one must report it.
// None of them runs at the positions in but.
type fact struct {
	what string
	by   string
	but  string
}

// contradictions returns the facts that an audit does not report.
func contradictions(r auditReport, t scenario.Truth) []string {
	var lies []string
	for _, f := range slices.Concat(factsOfMachines(t), factsOfManagers(t, r.Position)) {
		said := slices.ContainsFunc(strings.Fields(f.by), func(id string) bool {
			status := r.status("AWSM-" + id)
			return status == "fail" || status == "warn" || status == "unknown"
		})
		if !said && (f.but == "" || !strings.Contains(f.but, r.Position)) {
			lies = append(lies, fmt.Sprintf("%s, and none of %s says so", f.what, f.by))
		}
	}
	return lies
}

// factsOfMachines compares Nodes with machines and their instances.
func factsOfMachines(t scenario.Truth) []fact {
	var wrong []fact
	add := func(is bool, by, but, what string, args ...any) {
		if is {
			wrong = append(wrong, fact{what: fmt.Sprintf(what, args...), by: by, but: but})
		}
	}
	cluster := t.Cluster()
	for _, m := range t.Machines {
		i, n := t.Instances[m.Instance], t.Nodes[m.Node]
		if n.Name == "" {
			add(i.State != "terminated", "422 312 105", "", "machine %s has no Node", m.Name)
			continue
		}
		parts := strings.Split(n.Spec.ProviderID, "/")
		zone, id := "", parts[len(parts)-1]
		if len(parts) > 1 {
			zone = parts[len(parts)-2]
		}
		add(i.State != "running", "401 402", "", "instance of Node %s is %s", n.Name, i.State)
		add(id != m.Instance, "301 302 401 405 312", "", "Node %s has ProviderID %q, its machine is instance %s", n.Name, n.Spec.ProviderID, m.Instance)
		add(id == m.Instance && zone != i.Zone, "301 403", "", "Node %s has ProviderID %q, its instance is in %s", n.Name, n.Spec.ProviderID, i.Zone)
		add(n.Labels["topology.kubernetes.io/zone"] != i.Zone, "303", "", "Node %s has zone label %q, its instance is in %s", n.Name, n.Labels["topology.kubernetes.io/zone"], i.Zone)
		add(n.Name != i.PrivateDNSName, "404 305", "", "Node %s is of instance %s", n.Name, i.PrivateDNSName)
		add(slices.ContainsFunc(n.Spec.Taints, func(t corev1.Taint) bool { return strings.HasSuffix(t.Key, "/uninitialized") }), "306", "", "Node %s waits for a cloud controller", n.Name)
		add(!ready(n), "307", "", "Node %s is not ready", n.Name)
		if i.State == "terminated" {
			continue
		}
		add(!slices.Equal(i.Clusters, []string{cluster}), "406", "", "instance of Node %s is tagged for %v", n.Name, i.Clusters)
		add(!slices.Contains(t.Subnets[i.Subnet], cluster), "408", "", "subnet %s of Node %s is not tagged", i.Subnet, n.Name)
		add(i.Tokens == "required" || !i.Endpoint, "409", "P4 P5", "instance of Node %s: tokens %s, metadata service %t", n.Name, i.Tokens, i.Endpoint)
		add(m.ControlPlane() && i.Profile == "", "418", "", "the instance of control plane %s has no profile", n.Name)
	}
	return wrong
}

func ready(n corev1.Node) bool {
	return slices.ContainsFunc(n.Status.Conditions, func(c corev1.NodeCondition) bool {
		return c.Type == corev1.NodeReady && c.Status == corev1.ConditionTrue
	})
}

// handOver bounds the time without a holder while a lease changes hands: a few seconds with
// this lab's durations.
const handOver = 25 * time.Second

// factsOfManagers compares processes, and the controllers that the observer saw them run, with
// control planes and position.
func factsOfManagers(t scenario.Truth, position string) []fact {
	var wrong []fact
	for controller, by := range t.RunBy {
		if len(by) > 1 {
			wrong = append(wrong, fact{what: fmt.Sprintf("controller %s runs in %v", controller, by), by: "205 210 212 213 215"})
		}
	}
	for controller, since := range t.Idle {
		if since > handOver {
			wrong = append(wrong, fact{what: "no process runs controller " + controller, by: "132 201 208 209 213 214 604 605 610 611 612"})
		}
	}
	for _, m := range t.Machines {
		if !m.ControlPlane() {
			continue
		}
		if n := countOn(t.Managers, m); n != 1 {
			wrong = append(wrong, fact{what: fmt.Sprintf("%d kube-controller-managers run on %s", n, m.Name), by: "132 205 105 307 402"})
		}
		if countOn(t.CCMs, m) == 0 && position >= "P3" {
			wrong = append(wrong, fact{what: "no CCM runs on " + m.Name, by: "604 605 606 611 213 307"})
		}
	}
	args := map[string]bool{}
	for _, p := range t.Managers {
		args[p.Last("cloud-provider")+" "+p.Last("enable-leader-migration")] = true
	}
	if len(args) > 1 {
		wrong = append(wrong, fact{what: fmt.Sprintf("kube-controller-managers differ: %v", args), by: "213 105 111 210 211"})
	}
	return wrong
}

func countOn(processes []scenario.Process, m scenario.Machine) int {
	n := 0
	for _, p := range processes {
		if p.Node == m.Name {
			n++
		}
	}
	return n
}
