package sim

// Object is an object of the management cluster as decoded JSON; whole numbers are int64.
type Object = map[string]any

// Advance applies all events that are due by now. It returns the revision of the management
// cluster.
func (w *World) Advance() (revision int64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.advance(w.clock())
	return w.mgmt.revision
}

// Objects returns the objects of a resource ("plural.group") in the management cluster. Callers
// must not change them.
func (w *World) Objects(resource string) []Object {
	w.mu.Lock()
	defer w.mu.Unlock()
	var found []Object
	for _, k := range w.mgmt.keys(resource, "") {
		found = append(found, w.mgmt.objects[k].body)
	}
	return found
}

// Change changes an object of the management cluster, as a user would.
func (w *World) Change(resource, namespace, name string, change func(Object)) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.advance(w.clock())
	if o := w.mgmt.get(resource, namespace, name); o != nil {
		change(o)
		w.mgmt.put(resource, o, w.now)
	}
}

// SetMachineUID sets the UID that a Machine has elsewhere. Its Node refers to it.
func (w *World) SetMachineUID(name, uid string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	m := w.machineNamed(name)
	m.uid = uid
	node := w.down.get("nodes", "", m.node)
	mapAt(node, "metadata", "labels")["rke.cattle.io/machine"] = uid
	w.down.put("nodes", node, w.now)
}

// AddSecondNode registers a machine under a second name, as after a change of host names.
func (w *World) AddSecondNode(i int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.addSecondNodeLocked(i)
}

// addSecondNodeLocked does the same with w.mu held.
func (w *World) addSecondNodeLocked(i int) {
	node := w.down.get("nodes", "", w.machines[i].node)
	meta := mapAt(node, "metadata")
	meta["name"] = "second-" + w.machines[i].node
	delete(meta, "uid")
	delete(meta, "resourceVersion")
	w.down.put("nodes", node, w.now)
}

// SetNodeReady sets the condition Ready of a machine's Node.
func (w *World) SetNodeReady(i int, ready bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.setNodeReady(w.machines[i].node, ready)
}
