package sim

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"
	"time"
)

// restartService restarts rke2-server or rke2-agent: the Node shows the new arguments, and a
// kube-controller-manager with another manifest stops.
func (w *World) restartService(m machine) {
	node := w.down.get("nodes", "", m.node)
	args := string(must(json.Marshal(nodeArgs(m))))
	annotations := mapAt(node, "metadata", "annotations")
	annotations["rke2.io/node-args"] = args
	annotations["rke2.io/node-config-hash"] = shorten(args)
	w.down.put("nodes", node, w.now)
	w.setNodeReady(m.node, false)
	if m.controlPlane && w.staticPodStale(m) {
		if w.outlive == 0 {
			w.stop(func(p process) bool { return p.component == kcmName && p.node == m.node })
		}
		w.down.remove(key{pods, kubeSystem, kcmName + "-" + m.node})
	}
}

func shorten(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:8])
}

func (w *World) setNodeReady(name string, ready bool) {
	node := w.down.get("nodes", "", name)
	status := "False"
	if ready {
		status = "True"
	}
	mapAt(node, "status")["conditions"] = []any{object{"type": "Ready", "status": status, "reason": "Sim",
		"lastHeartbeatTime": w.clockOf(name).Format(time.RFC3339), "lastTransitionTime": w.clockOf(name).Format(time.RFC3339)}}
	w.down.put("nodes", node, w.now)
}

// kcmArgs returns the arguments of a machine's kube-controller-manager, the user's last
// (rancher/rke2:pkg/podexecutor).
func kcmArgs(m machine) []any {
	args := []any{"--allocate-node-cidrs=true", "--bind-address=127.0.0.1", "--cluster-cidr=10.42.0.0/16", "--secure-port=10257", "--use-service-account-credentials=true"}
	if provider, _ := m.config["cloud-provider-name"].(string); provider != "" {
		args = append(args, "--cloud-provider="+provider)
	}
	if given, ok := m.config["kube-controller-manager-arg"].([]any); ok {
		for _, one := range given {
			args = append(args, "--"+fmt.Sprint(one))
		}
	}
	return args
}

// kcmEnv returns the environment of a machine's kube-controller-manager.
func kcmEnv(m machine) []any {
	var env []any
	given, _ := m.config["kube-controller-manager-extra-env"].([]any)
	for _, one := range given {
		name, value, _ := strings.Cut(fmt.Sprint(one), "=")
		env = append(env, object{"name": name, "value": value})
	}
	return env
}

func (w *World) staticPodStale(m machine) bool {
	pod := w.down.peek(pods, kubeSystem, kcmName+"-"+m.node)
	return pod == nil || text(pod, "metadata", "annotations", "kubernetes.io/config.hash") != shorten(fmt.Sprint(kcmArgs(m)))
}

// syncStaticPod starts a control plane's kube-controller-manager and shows its mirror pod, unless
// it runs already.
func (w *World) syncStaticPod(m machine) {
	if !m.controlPlane || !w.staticPodStale(m) {
		return
	}
	for i := range w.processes { // processes that keep running
		if p := &w.processes[i]; p.component == kcmName && p.node == m.node && p.ends.IsZero() {
			p.ends = w.now.Add(w.outlive)
		}
	}
	name, hash := kcmName+"-"+m.node, shorten(fmt.Sprint(kcmArgs(m)))
	spec := object{"nodeName": m.node, "hostNetwork": true, "containers": []any{object{"name": kcmName,
		"image": "index.docker.io/rancher/hardened-kubernetes:v1.26.13-rke2r1-build20240117", "command": []any{kcmName}, "args": kcmArgs(m)}}}
	if env := kcmEnv(m); len(env) > 0 {
		spec["containers"].([]any)[0].(object)["env"] = env
	}
	w.down.put(pods, object{"apiVersion": "v1", "kind": "Pod", "metadata": object{"name": name, "namespace": kubeSystem,
		"labels":      object{"component": kcmName, "tier": "control-plane"},
		"annotations": object{"kubernetes.io/config.source": "file", "kubernetes.io/config.hash": hash, "kubernetes.io/config.mirror": hash}},
		"spec": spec, "status": podStatus(spec, true, w.clockOf(m.node))}, w.now)
	w.startKCM(m.node, kcmArgs(m))
}

func (w *World) startKCM(node string, args []any) {
	p := process{component: kcmName, node: node, user: kcmUser}
	for _, one := range args {
		arg := fmt.Sprint(one)
		if v, ok := strings.CutPrefix(arg, "--cloud-provider="); ok {
			p.provider = v
		}
		p.migration = p.migration || isFlag(arg)
	}
	w.start(p)
}

func newNode(m machine, zone string, kubelet string, now time.Time) object {
	labels := object{"kubernetes.io/hostname": m.node, "kubernetes.io/os": "linux", "kubernetes.io/arch": "amd64", "rke.cattle.io/machine": m.uid,
		"topology.kubernetes.io/zone": zone, "topology.kubernetes.io/region": zone[:len(zone)-1],
		"failure-domain.beta.kubernetes.io/zone": zone, "failure-domain.beta.kubernetes.io/region": zone[:len(zone)-1]}
	id := "i-" + shorten(m.node)
	return object{"apiVersion": "v1", "kind": "Node", "metadata": object{"name": m.node, "labels": labels, "annotations": object{}},
		"spec": object{"providerID": "aws:///" + zone + "/" + id},
		"status": object{"nodeInfo": object{"kubeletVersion": kubelet, "operatingSystem": "linux", "architecture": "amd64"},
			"addresses": []any{object{"type": "InternalIP", "address": m.ip}, object{"type": "InternalDNS", "address": m.node}, object{"type": "Hostname", "address": m.node}},
			"conditions": []any{object{"type": "Ready", "status": "True", "reason": "Sim",
				"lastHeartbeatTime": now.UTC().Format(time.RFC3339), "lastTransitionTime": now.UTC().Format(time.RFC3339)}}}}
}
