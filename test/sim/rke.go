package sim

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/awsmigrate/awsmigrate/test/lab/rke"
)

const (
	stateSecret = rke.StateName
	clusterFile = "/home/alice/cluster.yml"
	rkeRelease  = rke.Release("v1.5.10")
	rkeVersion  = "v1.26.9-rancher1-1"
)

// rkeState is the machine that rke runs on, and rke itself. The lab's rke resolves cluster.yml.
type rkeState struct {
	disk map[string]file
	temp int
	job  *rkeJob
	done int // number of ended jobs
}

// hostConfig holds the parts of a machine's containers that a migration changes.
type hostConfig struct {
	provider string
	flag     bool // only on a control plane
}

// rkeJob is one run of rke. It continues if its starter is killed.
type rkeJob struct {
	number   int
	up       bool
	desired  rke.Config
	waiting  []string // machines not visited yet
	visiting string   // the current machine, or empty
	since    time.Time
	recorded bool // currentState is written
	ended    bool
}

func (r *rkeState) clone() *rkeState {
	c := *r
	c.disk = maps.Clone(r.disk)
	if r.job != nil {
		job := *r.job
		job.waiting = slices.Clone(job.waiting)
		c.job = &job
	}
	return &c
}

// rkeYAML is a cluster.yml as a user writes it, with comments and uneven blanks.
const rkeYAML = `# demo: run rke from the jump host only.
cluster_name: demo
kubernetes_version: v1.26.9-rancher1-1   # pinned

nodes:
%s
services:
  kube-controller:
    extra_args:
      node-monitor-period: "5s"   # the default, written down
  kubelet: {extra_args: {max-pods: "110"}}

network: {plugin: canal}

# Load balancers and node addresses come from AWS.
cloud_provider:
  name: aws
  awsCloudProvider:
    global:
      disable-strict-zone-check: true

ingress:
  provider: none
`

// NewRKE returns a cluster of three control planes and two workers that rke made. It uses the
// in-tree provider and is at rest. The user has cordoned one worker.
func NewRKE() *World { return newRKE(rkeYAML) }

// newRKE returns the same cluster with another cluster.yml, which has a verb for the hosts.
func newRKE(yaml string) *World {
	w := inBubble("").newWorld()
	w.running, w.rke = map[string]hostConfig{}, &rkeState{disk: map[string]file{}}
	w.down = newServer("downstream", "v1.26.9", core)
	w.namespaces(w.down, "default", kubeSystem)
	var nodes strings.Builder
	for i := range 5 {
		m := w.addHost(i)
		fmt.Fprintf(&nodes, "  - address: %s\n    user: ubuntu\n    hostname_override: %s\n    role: [%s]\n", m.ip, m.node, strings.Join(m.roles(), ", "))
	}
	w.rke.disk[clusterFile] = file{text: fmt.Sprintf(yaml, nodes.String()), mode: 0o600}
	config := w.resolveFile()
	w.writeState(rke.FullState{Desired: rke.State{Config: &config}, Current: rke.State{Config: &config}}, true)
	w.startAll()
	return w
}

// addHost adds the i-th host with its Node: a control plane, or a worker.
func (w *World) addHost(i int) machine {
	m := machine{name: fmt.Sprintf("host-%d", i), ip: fmt.Sprintf("10.0.%d.%d", i%3+1, 10+i), controlPlane: i < 3}
	m.node = fmt.Sprintf("ip-10-0-%d-%d.eu-west-1.compute.internal", i%3+1, 10+i)
	node := newNode(m, "eu-west-1"+string(rune('a'+i%3)), "v1.26.9", w.now)
	labels := mapAt(node, "metadata", "labels")
	delete(labels, "rke.cattle.io/machine")
	for _, role := range m.roles() {
		labels["node-role.kubernetes.io/"+role] = "true"
	}
	if m.controlPlane {
		mapAt(node, "spec")["taints"] = []any{object{"key": "node-role.kubernetes.io/controlplane", "value": "true", "effect": "NoSchedule"},
			object{"key": "node-role.kubernetes.io/etcd", "value": "true", "effect": "NoExecute"}}
	}
	if i == 4 {
		mapAt(node, "spec")["unschedulable"] = true
	}
	mapAt(node, "metadata", "annotations")["rke.cattle.io/internal-ip"] = m.ip
	mapAt(node, "metadata", "annotations")["rke.cattle.io/external-ip"] = m.ip
	w.down.put("nodes", node, w.now)
	w.machines = append(w.machines, m)
	w.running[m.name] = hostConfig{provider: "aws"}
	if m.controlPlane {
		w.startKCM(m.node, []any{"--cloud-provider=aws"})
	}
	return m
}

// roles returns the roles that rke knows a machine by.
func (m machine) roles() []string {
	if m.controlPlane {
		return []string{"controlplane", "etcd"}
	}
	return []string{"worker"}
}

// resolveFile returns rke's reading of the current cluster.yml.
func (w *World) resolveFile() rke.Config {
	config, err := rke.Decode([]byte(w.rke.disk[clusterFile].text))
	if err != nil {
		panic(err)
	}
	cluster, err := rkeRelease.Resolve(config)
	if err != nil {
		panic(err)
	}
	return cluster.Config
}

// rkeFullState returns the state file next to cluster.yml.
func (w *World) rkeFullState() rke.FullState {
	var s rke.FullState
	if err := json.Unmarshal([]byte(w.rke.disk[rke.StateFile(clusterFile)].text), &s); err != nil {
		panic(err)
	}
	return s
}

// writeState writes the state file, and optionally the Secret in the cluster.
func (w *World) writeState(s rke.FullState, cluster bool) {
	raw := must(json.Marshal(s))
	w.rke.disk[rke.StateFile(clusterFile)] = file{text: string(raw), mode: 0o600}
	w.down.changes++
	if cluster {
		w.saveState(raw)
	}
}

// saveState writes the state into the cluster.
func (w *World) saveState(raw []byte) {
	w.down.put("secrets", object{"apiVersion": "v1", "kind": "Secret", "type": "Opaque", "metadata": object{"name": stateSecret, "namespace": kubeSystem},
		"data": object{stateSecret: plain(raw)}}, w.now)
}

func (r *rkeState) stateText() []byte { return []byte(r.disk[rke.StateFile(clusterFile)].text) }

func (r *rkeState) files() map[string]string {
	out := map[string]string{}
	for path, f := range r.disk {
		out[path] = fmt.Sprintf("%o\n%s", f.mode, f.text)
	}
	return out
}

// phase describes rke's progress.
func (r *rkeState) phase() string {
	if r.job == nil {
		return "no rke"
	}
	return fmt.Sprintf("rke up %t, %d waiting, visits %s, recorded %t", r.job.up, len(r.job.waiting), r.job.visiting, r.job.recorded)
}

const (
	hostRestarts = 2 * time.Second
	hostIsBack   = 5 * time.Second
)

// beginJob starts rke: it reads cluster.yml once, and records the desired state before any change.
func (w *World) beginJob(up bool) *rkeJob {
	job := &rkeJob{number: w.rke.done + 1, up: up, since: w.now}
	if up {
		job.desired = w.resolveFile()
		state := w.rkeFullState()
		state.Desired = rke.State{Config: &job.desired}
		w.writeState(state, false)
		for _, m := range w.machines {
			if w.running[m.name] != wantedConfig(job.desired, m) {
				job.waiting = append(job.waiting, m.name)
			}
		}
	}
	w.rke.job = job
	w.down.changes++
	return job
}

// wantedConfig returns the configuration that a machine must run with
// (rancher/rke:cluster/plan.go@v1.5.9).
func wantedConfig(c rke.Config, m machine) hostConfig {
	want := hostConfig{provider: c.CloudProvider.Name}
	if want.provider == "external-aws" {
		want.provider = "external"
	}
	if m.controlPlane {
		want.flag = c.Services.KubeController.ExtraArgs["enable-leader-migration"] == "true"
	}
	return want
}

// rkeTick runs rke for one second: control planes one after the other, then the state, then the
// workers. Each visited node is cordoned and then uncordoned, even if a user had cordoned it
// (rancher/rke:services/controlplane.go@v1.5.9).
func (w *World) rkeTick() {
	job := w.rke.job
	if job == nil || w.now.Sub(job.since) < hostRestarts {
		return
	}
	i := slices.IndexFunc(w.machines, func(m machine) bool { return m.name == job.visiting })
	switch {
	case i >= 0 && w.now.Sub(job.since) < hostIsBack:
		return
	case i >= 0:
		w.leave(w.machines[i], wantedConfig(job.desired, w.machines[i]))
		job.visiting = ""
	case job.up && !job.recorded && (len(job.waiting) == 0 || !w.machineNamed(job.waiting[0]).controlPlane):
		state := w.rkeFullState()
		state.Current = rke.State{Config: &job.desired}
		w.writeState(state, true)
		job.recorded = true
	case len(job.waiting) > 0:
		job.visiting, job.waiting, job.since = job.waiting[0], job.waiting[1:], w.now
		w.visit(*w.machineNamed(job.visiting))
	default:
		job.ended = true
		w.rke.job, w.rke.done = nil, job.number
		w.down.changes++
	}
}

func (w *World) machineNamed(name string) *machine {
	return &w.machines[slices.IndexFunc(w.machines, func(m machine) bool { return m.name == name })]
}

func (w *World) visit(m machine) {
	w.cordon(m.node, true)
	w.setNodeReady(m.node, false)
	w.stop(func(p process) bool { return p.component == kcmName && p.node == m.node })
}

// leave starts the containers of a machine with the new configuration.
func (w *World) leave(m machine, want hostConfig) {
	w.running[m.name] = want
	if m.controlPlane {
		args := []any{"--cloud-provider=" + want.provider}
		if want.flag {
			args = append(args, "--enable-leader-migration=true")
		}
		w.startKCM(m.node, args)
	}
	w.setNodeReady(m.node, true)
	w.cordon(m.node, false)
}

// cordon keeps annotations, as rke does.
func (w *World) cordon(name string, on bool) {
	node := w.down.get("nodes", "", name)
	if on {
		mapAt(node, "spec")["unschedulable"] = true
	} else {
		delete(mapAt(node, "spec"), "unschedulable")
	}
	w.down.put("nodes", node, w.now)
}
