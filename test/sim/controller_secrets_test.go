package sim

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/base64"
	"io"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/awsmigrate/awsmigrate/internal/controller"
	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/migration/procedure"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
)

// hunter is in every place of the configuration that no edit changes.
const hunter = "hunter2-in-every-place"

// secretive returns a cluster whose configuration holds secrets, including the edited lists.
func secretive(t testing.TB) *World {
	t.Helper()
	w := withController(t, newRKE2(object{
		"cni": "calico", "etcd-s3-secret-key": hunter, "agent-token": hunter,
		"kube-controller-manager-arg": []any{"node-monitor-period=5s", "master=https://user:" + hunter + "@example.org"},
		"kubelet-arg":                 []any{"bootstrap-kubeconfig=https://user:" + hunter + "@example.org"},
		"kube-apiserver-arg":          []any{"token-auth-file=" + hunter},
		"kube-controller-manager-extra-env": []any{"AWS_ACCESS_KEY_ID=" + hunter, "AWS_SECRET_ACCESS_KEY=" + hunter,
			"HTTPS_PROXY=http://user:" + hunter + "@proxy.example.org:3128"},
	}))
	cluster := w.mgmt.get(provClusters, fleet, clusterName)
	rke := mapAt(cluster, "spec", "rkeConfig")
	rke["registries"] = object{"configs": object{"example.org": object{"auth": hunter}}}
	cluster["spec"].(object)["agentEnvVars"] = []any{object{"name": "PASSWORD", "value": hunter}}
	w.mgmt.put(provClusters, cluster, w.now)
	return w
}

// unpackAll returns a text with the decompressed content of its words.
func unpackAll(text string) string {
	var all strings.Builder
	all.WriteString(text)
	for _, word := range strings.Split(text, "\"") {
		if !strings.HasPrefix(word, "H4sI") { // the beginning of gzip
			continue
		}
		raw, err := base64.StdEncoding.DecodeString(word)
		if err != nil {
			continue
		}
		if r, err := gzip.NewReader(bytes.NewReader(raw)); err == nil {
			inner, _ := io.ReadAll(r)
			all.WriteString(unpackAll(string(inner)))
		}
	}
	return all.String()
}

// leaks returns the objects with the secret, except Rancher's. w.mu is held.
func (w *World) leaks() []string {
	var all []string
	for k, found := range w.mgmt.objects {
		ours := k.resource != provClusters && k.resource != controlPlanes
		if ours && strings.Contains(unpackAll(string(found.raw)), hunter) {
			all = append(all, k.resource+" "+k.name)
		}
	}
	for k, found := range w.down.objects {
		if (isOwn(k) || k.resource == daemonSets) && strings.Contains(unpackAll(string(found.raw)), hunter) {
			all = append(all, "downstream "+k.resource+" "+k.name)
		}
	}
	return all
}

// buffer stores a log.
type buffer struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (b *buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(p)
}

// A controller publishes no secret of the configuration that the edits do not change. The test
// covers a whole migration and its undo: plans, fragments, status, events, journal, records and
// log. If an edit copies a secret, the owner prints the fragment.
func TestControllerPublishesNoSecret(t *testing.T) {
	t.Parallel()
	for name, edits := range map[string]string{"apply_shows_no_secret": "Apply", "handoff_shows_no_secret": "Handoff"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, log := secretive(t), &buffer{}
			leaked, printed, carried := map[string]bool{}, map[journal.StepID]bool{}, false
			o := pod{Next: true, Change: func(o *controller.Options) { o.Log = slog.New(slog.NewJSONHandler(log, nil)) },
				After: func(c Call) {
					if c.Writes {
						carried = carried || w.down.peek("secrets", kubeSystem, environmentSecret) != nil
						for _, leak := range w.leaks() {
							leaked[leak] = true
						}
					}
				}}
			someone := person{w: w, last: "Undo", edits: edits}
			if !awaitWithin(t, 5*time.Hour, o, w, func() bool {
				if w.shows("Awaiting-Owner") && edits == "Handoff" {
					w.printAndCommit(t, printed)
					return false
				}
				return someone.act()
			}) {
				t.Fatalf("the goal was not reached: %s", must(jsonOf(at(w.migration(), "status"))))
			}
			if !carried {
				t.Error("the CCM never had the secret environment")
			}
			if len(leaked) > 0 {
				t.Errorf("the secret is in %v", slices.Sorted(maps.Keys(leaked)))
			}
			if strings.Contains(log.text.String(), hunter) || log.text.Len() == 0 {
				t.Errorf("the log has %d bytes: it holds the secret or is empty", log.text.Len())
			}
			if want := map[string]int{"Apply": 0, "Handoff": 4}[edits]; len(printed) != want {
				t.Errorf("%d edits were printed, wanted %d", len(printed), want)
			}
			if wrong := w.Violations(); len(wrong) > 0 {
				t.Error(wrong)
			}
		})
	}
}

// printAndCommit commits the due edit as printed by the command line, once for each step.
func (w *World) printAndCommit(t *testing.T, printed map[journal.StepID]bool) {
	t.Helper()
	w.mu.Lock()
	step := journal.StepID(text(w.migration(), "status", "handoff", "step"))
	undo := text(w.migration(), "spec", "goal") == "Undo"
	data := mapAt(w.mgmt.get(configMaps, fleet, planName), "data")
	w.mu.Unlock()
	if step == "" || printed[step] {
		return // appears a moment later
	}
	published, _ := data["edit-fleet"].(string)
	if !strings.Contains(published, "awsmigrate rke2 plan") {
		t.Errorf("step %s: the text lacks the command that prints it: %s", step, published)
	}
	lookNow(context.WithoutCancel(t.Context()), t, Run{ID: "printed", HandOver: true, Undo: undo, Attended: true}, w, func(ctx context.Context, p *procedure.Migration, seen migration.Snapshot) {
		full, err := p.Handoff(ctx, seen, "fleet", false)
		if err != nil {
			t.Fatal(err)
		}
		w.mu.Lock()
		defer w.mu.Unlock()
		w.advance(time.Now())
		commit(t, w, full)
	})
	printed[step] = true
}
