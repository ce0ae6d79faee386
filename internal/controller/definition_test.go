package controller

import (
	"errors"
	"io"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"k8s.io/client-go/rest"
	"sigs.k8s.io/yaml"

	"github.com/awsmigrate/awsmigrate/pkg/apis/awsmigrate.io/v1alpha1"
	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/fleet/status"
)

// redefined returns the CRD with a change.
func redefined(t *testing.T, change func(crd map[string]any)) string {
	t.Helper()
	text, err := os.ReadFile(definitionFile)
	if err != nil {
		t.Fatal(err)
	}
	var crd map[string]any
	if err := yaml.Unmarshal(text, &crd); err != nil {
		t.Fatal(err)
	}
	change(crd)
	if text, err = yaml.Marshal(crd); err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// without removes a key at every depth, and returns how often it occurred.
func without(v any, key string) (found int) {
	switch v := v.(type) {
	case map[string]any:
		if _, is := v[key]; is {
			delete(v, key)
			found++
		}
		for _, inner := range v {
			found += without(inner, key)
		}
	case []any:
		for _, inner := range v {
			found += without(inner, key)
		}
	}
	return found
}

// An API server without CEL silently drops such rules and accepts what they forbid. The
// controller checks the rules too, and begins nothing.
func TestRulesThatTheServerDropped(t *testing.T) {
	m := serveDefinition(t, redefined(t, func(crd map[string]any) {
		if n := without(crd, "x-kubernetes-validations"); n < 3 {
			t.Fatalf("the definition has %d rules", n)
		}
	}))
	for name, broken := range map[string]func(*v1alpha1.ClusterMigrationSpec){
		"Timeout": func(s *v1alpha1.ClusterMigrationSpec) { s.Options.Timeout = "900h" },
		"Duration": func(s *v1alpha1.ClusterMigrationSpec) {
			s.Windows = []v1alpha1.Window{{Schedule: "0 22 * * 6", Duration: "1m"}}
		},
		"Handoff": func(s *v1alpha1.ClusterMigrationSpec) {
			s.Edits, s.Options.InstallMethod = v1alpha1.EditsHandoff, "AdditionalManifest"
		},
	} {
		t.Run(name, func(t *testing.T) {
			i := m.install(t)
			spec := migrates
			broken(&spec)
			i.create(t, spec)
			i.start(t, nil)
			shown := i.shows(t, status.Stalled, status.Invalid)
			if runs := i.world.begunRuns(); len(runs) > 0 || shown.Status.Display.Message == "" {
				t.Errorf("ran %v, and shows %+v", runs, shown.Status.Display)
			}
			with(i.world, func() any { i.world.rolls = true; return nil }) // and what rolls is watched all the same
			i.patch(t, `{"metadata":{"annotations":{"`+RetryAnnotation+`":"1"}}}`)
			i.world.guarded(t)
		})
	}
}

// A CRD that is older than the program may drop a field that forbids an action. So the controller
// begins nothing, and only watches rollouts.
func TestOlderDefinition(t *testing.T) {
	for name, change := range map[string]func(annotations map[string]any){
		"Lower":   func(a map[string]any) { a[v1alpha1.SchemaAnnotation] = "0" },
		"Without": func(a map[string]any) { delete(a, v1alpha1.SchemaAnnotation) },
	} {
		t.Run(name, func(t *testing.T) {
			i := serveDefinition(t, redefined(t, func(crd map[string]any) {
				change(crd["metadata"].(map[string]any)["annotations"].(map[string]any))
			})).install(t)
			i.create(t, migrates)
			i.start(t, nil)
			m := i.shows(t, status.Stalled, status.CRDOutdated)
			if runs := i.world.begunRuns(); len(runs) > 0 || !strings.Contains(m.Status.Display.Message, "awsmigrate-crd") {
				t.Errorf("ran %v, and shows %+v", runs, m.Status.Display)
			}
			with(i.world, func() any { i.world.rolls = true; return nil })
			i.patch(t, `{"metadata":{"annotations":{"`+RetryAnnotation+`":"1"}}}`)
			i.world.guarded(t)
		})
	}
}

func TestRequireKinds(t *testing.T) {
	const rancher, own = "/apis/provisioning.cattle.io/v1", "/apis/awsmigrate.io/v1alpha1"
	for name, tt := range map[string]struct {
		served []string
		away   int // unanswered requests before the first answer
		reason string
	}{
		"all/starts":                       {served: []string{rancher, own}},
		"noDefinition/namesTheChart":       {served: []string{rancher}, reason: "NotInstalled"},
		"noRancher/namesTheServer":         {served: []string{own}, reason: "NotRancher"},
		"serverAway/asksAgain":             {served: []string{rancher, own}, away: 2},
		"serverAway/noDefinition/asksOnce": {served: []string{rancher}, away: 1, reason: "NotInstalled"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				asked := 0
				answer := func(r *http.Request) (*http.Response, error) {
					code, body := http.StatusNotFound, `{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"NotFound","code":404}`
					if asked++; asked <= tt.away {
						return nil, errors.New("connection refused")
					}
					if slices.Contains(tt.served, r.URL.Path) {
						code, body = http.StatusOK, `{"kind":"APIResourceList","apiVersion":"v1","resources":[]}`
					}
					return &http.Response{StatusCode: code, Header: http.Header{"Content-Type": {"application/json"}}, Body: io.NopCloser(strings.NewReader(body)), Request: r}, nil
				}
				c, err := New(Options{Config: &rest.Config{Host: "https://rancher.example", Transport: transport(answer)}, Namespaces: []string{"fleet-default"}})
				if err != nil {
					t.Fatal(err)
				}
				err = c.requireKinds(t.Context())
				if (err != nil) != (tt.reason != "") || err != nil && (!fault.HasReason(err, tt.reason) || fault.ClassOf(err) != fault.Usage) {
					t.Errorf("%v, want reason %q", err, tt.reason)
				}
			})
		})
	}
}

type transport func(*http.Request) (*http.Response, error)

func (answer transport) RoundTrip(r *http.Request) (*http.Response, error) { return answer(r) }
