package sim

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

const (
	daemonSets = "daemonsets.apps"
	pods       = "pods"

	podStarts = 3 * time.Second // from created to Ready
	podStops  = 2 * time.Second
)

// setState is the memory of the modelled DaemonSet controller and kubelets, besides the objects.
type setState struct {
	born map[string]time.Time // start times of pods by name
	dies map[string]time.Time
	made int
	// settled holds the server's changes at the last time without work, or 0.
	settled int64
	// silent and invented reports whether kubelets show no end of a container, or one that they
	// did not see. Its process then runs for outlives after its pod is gone.
	silent, invented bool
	outlives         time.Duration
}

func (s setState) clone() setState {
	s.born, s.dies = maps.Clone(s.born), maps.Clone(s.dies)
	return s
}

// setTick runs the DaemonSet controller and the kubelets once. Each control plane has a pod. A
// rollout replaces one at a time and respects minReadySeconds, unless each pod waits for its
// deletion.
func (w *World) setTick() {
	if w.sets.born == nil {
		w.sets.born, w.sets.dies = map[string]time.Time{}, map[string]time.Time{}
	}
	if w.sets.settled == w.down.changes {
		return
	}
	w.endDeleted()
	w.reap()
	set := w.down.get(daemonSets, kubeSystem, ccmName)
	alive := w.setPods()
	if set == nil {
		for _, pod := range alive {
			w.condemn(pod)
		}
		if len(w.sets.dies) == 0 {
			w.sets.settled = w.down.changes
		}
		return
	}
	hash := templateHash(set)
	byNode := map[string]object{}
	for _, pod := range alive {
		byNode[text(pod, "spec", "nodeName")] = pod
	}
	w.readyPods(alive)
	nodes := w.planeNodes()
	desired, ready, updated, available, away := int64(len(nodes)), int64(0), int64(0), int64(0), 0
	minReady := time.Duration(number(set, "spec", "minReadySeconds")) * time.Second
	for _, name := range nodes {
		pod := byNode[name]
		if pod == nil {
			if !w.isDying(name) {
				w.makePod(set, name, hash)
			}
			away++
			continue
		}
		age := w.now.Sub(w.sets.born[text(pod, "metadata", "name")])
		current := text(pod, "metadata", "labels", "controller-revision-hash") == hash
		if current {
			updated++
		}
		if age >= podStarts {
			ready++
		}
		if age >= podStarts+minReady {
			available++
		} else {
			away++
		}
	}
	for _, name := range nodes {
		pod := byNode[name]
		if away == 0 && text(set, "spec", "updateStrategy", "type") != "OnDelete" && pod != nil && text(pod, "metadata", "labels", "controller-revision-hash") != hash {
			w.condemn(pod)
			away++
		}
	}
	set["status"] = object{"desiredNumberScheduled": desired, "currentNumberScheduled": int64(len(byNode)), "numberReady": ready,
		"updatedNumberScheduled": updated, "numberAvailable": available, "numberMisscheduled": int64(0), "observedGeneration": number(set, "metadata", "generation")}
	w.down.put(daemonSets, set, w.now)
	if updated == desired && available == desired && len(w.sets.dies) == 0 {
		w.sets.settled = w.down.changes
	}
}

func (w *World) planeNodes() []string {
	var names []string
	for _, m := range w.machines {
		if m.controlPlane {
			names = append(names, m.node)
		}
	}
	slices.Sort(names)
	return names
}

// setPods returns the pods of the CCM that are not being deleted.
func (w *World) setPods() []object {
	var found []object
	for _, k := range w.down.keys(pods, kubeSystem) {
		pod := w.down.peek(pods, kubeSystem, k.name)
		if text(pod, "metadata", "labels", "k8s-app") == ccmName && at(pod, "metadata", "deletionTimestamp") == nil {
			found = append(found, pod)
		}
	}
	return found
}

func (w *World) isDying(node string) bool {
	for name := range w.sets.dies {
		if text(w.down.peek(pods, kubeSystem, name), "spec", "nodeName") == node {
			return true
		}
	}
	return false
}

func templateHash(set object) string {
	sum := sha256.Sum256(must(json.Marshal(at(set, "spec", "template"))))
	return hex.EncodeToString(sum[:5])
}

func (w *World) makePod(set object, node, hash string) {
	w.sets.made++
	name := fmt.Sprintf("%s-%05d", ccmName, w.sets.made)
	template := plain(at(set, "spec", "template")).(object)
	meta := mapAt(template, "metadata")
	meta["name"], meta["namespace"] = name, kubeSystem
	mapAt(meta, "labels")["controller-revision-hash"] = hash
	meta["ownerReferences"] = []any{object{"apiVersion": "apps/v1", "kind": "DaemonSet", "name": ccmName, "uid": text(set, "metadata", "uid"), "controller": true}}
	spec := mapAt(template, "spec")
	spec["nodeName"] = node
	pod := object{"apiVersion": "v1", "kind": "Pod", "metadata": meta, "spec": spec, "status": podStatus(spec, false, w.now)}
	w.down.put(pods, pod, w.now)
	w.sets.born[name] = w.now
}

// containerID returns the ID of a container with a given start.
func containerID(name any, started time.Time) string {
	return fmt.Sprintf("containerd://%v-%d", name, started.UnixNano())
}

// podStatus returns the status of a pod with running containers.
func podStatus(spec object, ready bool, since time.Time) object {
	var statuses []any
	for _, one := range list(spec, "containers") {
		c := one.(object)
		statuses = append(statuses, object{"name": c["name"], "image": c["image"], "ready": ready, "restartCount": int64(0), "started": true, "containerID": containerID(c["name"], since),
			"state": object{"running": object{"startedAt": since.UTC().Format(time.RFC3339)}}})
	}
	status := "False"
	if ready {
		status = "True"
	}
	return object{"phase": "Running", "conditions": []any{object{"type": "Ready", "status": status}}, "containerStatuses": statuses}
}

// readyPods makes pods Ready that are old enough, and starts their process.
func (w *World) readyPods(alive []object) {
	for _, pod := range alive {
		name := text(pod, "metadata", "name")
		if w.now.Sub(w.sets.born[name]) < podStarts || list(pod, "status", "conditions")[0].(object)["status"] == "True" {
			continue
		}
		next := w.down.get(pods, kubeSystem, name)
		next["status"] = podStatus(mapAt(next, "spec"), true, w.clockOf(text(pod, "spec", "nodeName")))
		w.down.put(pods, next, w.now)
		p := process{component: ccmName, node: text(pod, "spec", "nodeName"), pod: name, provider: "aws",
			user: "system:serviceaccount:kube-system:" + text(pod, "spec", "serviceAccountName")}
		for _, one := range list(pod, "spec", "containers") {
			words := append(list(one.(object), "command"), list(one.(object), "args")...)
			p.migration = p.migration || slices.ContainsFunc(words, func(v any) bool { return isFlag(v.(string)) })
		}
		w.start(p)
	}
}

func isFlag(arg string) bool {
	arg = strings.TrimLeft(arg, "-")
	return arg == "enable-leader-migration" || arg == "enable-leader-migration=true"
}

// condemn stops a pod's process and removes the pod a little later.
func (w *World) condemn(pod object) {
	name := text(pod, "metadata", "name")
	next := w.down.get(pods, kubeSystem, name)
	mapAt(next, "metadata")["deletionTimestamp"] = w.now.UTC().Format(time.RFC3339)
	mapAt(next, "metadata")["deletionGracePeriodSeconds"] = int64(30)
	w.down.put(pods, next, w.now)
	w.sets.dies[name] = w.now.Add(podStops)
}

// endDeleted lets the kubelets see the pods that the API deleted.
func (w *World) endDeleted() {
	for _, k := range w.down.keys(pods, kubeSystem) {
		pod := w.down.peek(pods, kubeSystem, k.name)
		if _, dies := w.sets.dies[k.name]; !dies && text(pod, "metadata", "labels", "k8s-app") == ccmName && at(pod, "metadata", "deletionTimestamp") != nil {
			w.sets.dies[k.name] = w.now.Add(podStops)
		}
	}
}

// reap ends the processes of condemned pods. A kubelet shows the end of their containers before
// the pods go.
func (w *World) reap() {
	for _, name := range sortedKeys(w.sets.dies) {
		if w.sets.dies[name].After(w.now) {
			continue
		}
		for i := range w.processes {
			if p := &w.processes[i]; p.pod == name {
				p.ends = w.now.Add(w.sets.outlives)
			}
		}
		w.stop(func(p process) bool { return p.pod == name && !p.ends.After(w.now) })
		w.showEnd(name)
		w.down.remove(key{pods, kubeSystem, name})
		delete(w.sets.dies, name)
		delete(w.sets.born, name)
	}
}

// showEnd shows in a pod that its containers have ended.
func (w *World) showEnd(name string) {
	if w.sets.silent {
		return
	}
	pod := w.down.get(pods, kubeSystem, name)
	for _, one := range list(pod, "status", "containerStatuses") {
		status := one.(object)
		end := object{"exitCode": int64(0), "reason": "Completed", "containerID": status["containerID"], "finishedAt": w.clockOf(text(pod, "spec", "nodeName")).Format(time.RFC3339)}
		if w.sets.invented {
			end["exitCode"], end["reason"] = int64(137), "ContainerStatusUnknown"
			delete(end, "containerID")
		}
		status["ready"], status["state"] = false, object{"terminated": end}
	}
	w.down.put(pods, pod, w.now)
}
