package sim

import (
	"time"
)

// disturbance is something that others do to a cluster between two runs.
type disturbance struct {
	name   string
	change func(*World)
}

// disturbances have no part that awsmigrate wrote as their only aim: what users,
// other tools and broken machines do.
var disturbances = []disturbance{
	{"a node cordoned", func(w *World) { w.cordon(w.machines[0].node, true) }},
	{"all nodes uncordoned", func(w *World) {
		for _, m := range w.machines {
			w.cordon(m.node, false)
		}
	}},
	{"a node without its ProviderID", onNode(4, func(node object) { delete(mapAt(node, "spec"), "providerID") })},
	{"a node with the ProviderID of another instance", onNode(4, func(node object) { mapAt(node, "spec")["providerID"] = "aws:///eu-west-1b/i-0other" })},
	{"a node that waits for its cloud provider", onNode(3, func(node object) {
		mapAt(node, "spec")["taints"] = []any{object{"key": "node.cloudprovider.kubernetes.io/uninitialized", "value": "true", "effect": "NoSchedule"}}
	})},
	{"a node not ready", func(w *World) { w.setNodeReady(w.machines[3].node, false) }},
	{"the DaemonSet deleted", func(w *World) { w.down.remove(key{daemonSets, kubeSystem, ccmName}) }},
	{"the migration lease deleted", func(w *World) { w.down.remove(key{leasesResource, kubeSystem, migrationLease}) }},
	{"the migration lease held by a stranger", func(w *World) {
		w.writeLease(w.down.get(leasesResource, kubeSystem, migrationLease), migrationLease, &process{id: "stranger_1", component: kcmName})
	}},
	{"no CCM runs", func(w *World) { w.stop(func(p process) bool { return p.component == ccmName }) }},
	{"a bare pod of a kube-controller-manager", func(w *World) {
		spec := object{"containers": []any{object{"name": "m", "image": "r/kube-controller-manager:v1.26.13", "args": []any{"--cloud-provider=aws"}}}}
		w.down.put(pods, object{"apiVersion": "v1", "kind": "Pod", "metadata": object{"namespace": "default", "name": "other"}, "spec": spec}, w.now)
	}},
	{"another host name of a load balancer", func(w *World) {
		service := w.down.get("services", "default", "front")
		mapAt(service, "status", "loadBalancer")["ingress"] = []any{object{"hostname": "b2-2.eu-west-1.elb.amazonaws.com"}}
		w.down.put("services", service, w.now)
	}},
	{"the grant deleted", func(w *World) {
		for k := range w.down.objects {
			if k.name == "awsmigrate-leader-migration" {
				w.down.remove(k)
			}
		}
	}},
	{"the journal deleted", func(w *World) {
		home := w.mgmt
		if home == nil {
			home = w.down
		}
		for k := range home.objects {
			if k.resource == "configmaps" && ours(k) {
				home.remove(k)
			}
		}
	}},
	{"Rancher paused", func(w *World) {
		if w.rancher != nil {
			w.pause("true")
		}
	}},
	{"an hour later", func(w *World) { w.later(time.Hour) }},
}

func onNode(i int, change func(node object)) func(*World) {
	return func(w *World) {
		node := w.down.get("nodes", "", w.machines[i].node)
		change(node)
		w.down.put("nodes", node, w.now)
	}
}
