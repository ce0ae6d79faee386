package sim

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
)

// Dump returns everything in the world that a migration may touch, in canonical form. It omits
// times, versions, objects that a restart recreates, and awsmigrate's journal and lock. Worlds
// with equal dumps are in the same state for their users.
func (w *World) Dump() map[string]string {
	out := map[string]string{}
	for _, s := range []*server{w.mgmt, w.down} {
		if s == nil {
			continue
		}
		releases := map[string]object{}
		for k, found := range s.objects {
			if isOwn(k) || k.resource == "events" || k.resource == "events.events.k8s.io" {
				continue
			}
			o := decoded(found.raw).(object)
			switch {
			case k.resource == "secrets" && text(o, "type") == "helm.sh/release.v1":
				if isNewer(o, releases[text(o, "metadata", "labels", "name")]) {
					releases[text(o, "metadata", "labels", "name")] = o
				}
				continue
			case k.resource == pods && strings.HasPrefix(k.name, ccmName):
				k.name = ccmName + " on " + text(o, "spec", "nodeName")
				mapAt(o, "metadata")["name"] = k.name
				delete(mapAt(o, "metadata", "labels"), "controller-revision-hash")
			case k.resource == leasesResource:
				o = object{"held": text(o, "spec", "holderIdentity") != ""}
			case k.resource == "secrets" && k.name == stateSecret:
				o = object{"state": w.stateText()}
			}
			out[s.name+" "+k.resource+" "+k.namespace+"/"+k.name] = string(must(json.Marshal(strip(o, k))))
		}
		for name, o := range releases {
			out[s.name+" release "+name] = release(o)
		}
	}
	if w.rke != nil {
		for path, content := range w.rke.files() {
			out["file "+path] = content
		}
	}
	return out
}

// isOwn reports whether an object is the journal, the cluster's count of it, or the lock.
func isOwn(k key) bool {
	return (strings.HasPrefix(k.name, "awsmigrate-") || strings.HasPrefix(k.name, "awsmigrate.") || k.name == "awsmigrate") && (k.resource == "configmaps" || k.resource == leasesResource)
}

func isNewer(a, b object) bool {
	return b == nil || len(text(a, "metadata", "name")) > len(text(b, "metadata", "name")) ||
		len(text(a, "metadata", "name")) == len(text(b, "metadata", "name")) && text(a, "metadata", "name") > text(b, "metadata", "name")
}

// strip returns an object without the fields that differ between two equal ones. A pod becomes
// available half a minute after it is ready.
func strip(o object, k key) object {
	meta := mapAt(o, "metadata")
	for _, field := range []string{"resourceVersion", "creationTimestamp", "managedFields", "generation", "ownerReferences"} {
		delete(meta, field)
	}
	if k.resource != "nodes" {
		delete(meta, "uid")
	}
	for _, field := range []string{"observedGeneration", "nodeVersion", "appliedNodeVersion", "numberAvailable"} {
		delete(mapAt(o, "status"), field)
	}
	if plan, ok := at(o, "status", "nodePlan").(object); ok {
		delete(plan, "version")
	}
	withoutTimes(o)
	for _, field := range []string{"annotations", "labels"} {
		if m, ok := meta[field].(object); ok && len(m) == 0 {
			delete(meta, field)
		}
	}
	return o
}

func withoutTimes(v any) {
	switch v := v.(type) {
	case object:
		for k, one := range v {
			if strings.HasSuffix(k, "Time") || strings.HasSuffix(k, "Timestamp") || k == "startedAt" || k == "containerID" {
				delete(v, k)
				continue
			}
			withoutTimes(one)
		}
	case []any:
		for _, one := range v {
			withoutTimes(one)
		}
	}
}

// release returns the content of a Helm release without its revision.
func release(secret object) string {
	r := releaseOf(secret)
	return fmt.Sprintf("%v %v\n%v", at(r, "info", "status"), at(r, "config"), at(r, "manifest"))
}

func releaseOf(secret object) object {
	raw, err := base64.StdEncoding.DecodeString(text(secret, "data", "release"))
	if err == nil {
		raw, err = base64.StdEncoding.DecodeString(string(raw))
	}
	var z *gzip.Reader
	if err == nil {
		z, err = gzip.NewReader(bytes.NewReader(raw))
	}
	if err == nil {
		raw, err = io.ReadAll(z)
	}
	if err != nil {
		panic(err)
	}
	return decoded(raw).(object)
}

// Journal returns the text of the journal, or an empty string.
func (w *World) Journal() string {
	s := w.down
	if w.mgmt != nil {
		s = w.mgmt
	}
	for k, found := range s.objects {
		if raw := text(found.body, "data", "journal.json"); k.resource == "configmaps" && isOwn(k) && raw != "" {
			return raw
		}
	}
	return ""
}

// state distinguishes the states of the world from which a run may continue differently: the dump,
// the holders of the leases, the progress of machines, and the journal.
func (w *World) state() string {
	var parts []string
	for k, v := range w.Dump() {
		parts = append(parts, k+"="+v)
	}
	for _, name := range []string{kcmMain, ccmMain, migrationLease} {
		holder := text(w.down.peek(leasesResource, kubeSystem, name), "spec", "holderIdentity")
		i := slices.IndexFunc(w.processes, func(p process) bool { return p.id == holder })
		kind := "dead"
		if i >= 0 {
			kind = fmt.Sprintf("%s %t", w.processes[i].component, w.processes[i].migration)
		}
		parts = append(parts, "lease "+name+"="+kind)
	}
	for _, p := range w.processes {
		parts = append(parts, fmt.Sprintf("process %s %s %s %t", p.component, p.node, p.provider, p.migration))
	}
	if r := w.rancher; r != nil {
		parts = append(parts, fmt.Sprintf("rolling %s %d", r.rolling, r.phase))
	}
	if w.rke != nil {
		parts = append(parts, w.rke.phase())
	}
	if w.managed != nil {
		parts = append(parts, w.managed.describe())
	}
	parts = append(parts, "journal="+w.journalState())
	slices.Sort(parts)
	return shorten(strings.Join(parts, "\n"))
}

// journalState returns the relevant part of a journal: each intent once, and the notes, without
// runs and times.
func (w *World) journalState() string {
	raw := w.Journal()
	if raw == "" {
		return ""
	}
	journal := decoded([]byte(raw)).(object)
	var parts []string
	last := ""
	for _, one := range list(journal, "intents") {
		intent := one.(object)
		what := fmt.Sprintf("%v %v %v", intent["step"], intent["what"], at(intent, "inverse"))
		if what != last && !slices.Contains(parts, what) {
			parts = append(parts, what)
		}
		last = what
	}
	notes := mapAt(journal, "notes")
	if strings.HasPrefix(last, "undo-") {
		withoutLastAudit(notes)
	}
	delete(notes, "run") // what a run announces for readers: no run reads it
	withoutTimes(notes)
	for step := range mapAt(notes, "taken-back") { // counts intents, of which a killed run left more
		notes["taken-back"].(object)[step] = "all"
	}
	return strings.Join(parts, "\n") + fmt.Sprint(notes)
}

// withoutLastAudit drops what only the last audit of an undo notes. A run that was killed between
// the last write and that audit leaves nothing pending, so that no later run takes the lock to
// note it. The next migration replaces the configuration, and no other entry is read without an
// intent of its step.
func withoutLastAudit(notes object) {
	delete(notes, "configuration-before")
	for step := range mapAt(notes, "taken-back") {
		if !slices.Contains([]string{"disable-leader-migration", "switch-provider", "install-ccm", "enable-leader-migration", "lease-access"}, step) {
			delete(notes["taken-back"].(object), step)
		}
	}
}
