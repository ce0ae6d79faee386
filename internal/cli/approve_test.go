package cli

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/awsmigrate/awsmigrate/internal/cli/console"
)

// publishedPlan serves a ClusterMigration with a plan. It applies no patch, but keeps it.
type publishedPlan struct {
	state, hash, approved, text string
	moved                       bool // another plan is published after the first reading

	patch string
}

func (p *publishedPlan) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	const migration = "/apis/awsmigrate.io/v1alpha1/namespaces/fleet-default/clustermigrations/prod"
	w.Header().Set("Content-Type", "application/json")
	answer := func(v any) { _ = json.NewEncoder(w).Encode(v) } //nolint:errchkjson // a test's own value
	hash := p.hash
	switch {
	case r.URL.Path == migration && r.Method == http.MethodPatch:
		body, _ := io.ReadAll(r.Body)
		p.patch = string(body)
		if p.moved {
			w.WriteHeader(http.StatusUnprocessableEntity)
			answer(map[string]any{"kind": "Status", "apiVersion": "v1", "status": "Failure", "reason": "Invalid", "code": 422})
			return
		}
		fallthrough
	case r.URL.Path == migration:
		if p.moved && p.patch != "" {
			hash = "sha256:another"
		}
		answer(map[string]any{"apiVersion": "awsmigrate.io/v1alpha1", "kind": "ClusterMigration", "metadata": map[string]any{"namespace": "fleet-default", "name": "prod", "uid": "u1"},
			"spec": map[string]any{"goal": "Migrate", "approvedPlan": p.approved},
			"status": map[string]any{"plan": map[string]any{"hash": hash, "ref": map[string]any{"name": "awsmigrate.plans.prod"}},
				"display": map[string]any{"state": p.state, "message": "set spec.approvedPlan"}}})
	case r.URL.Path == "/api/v1/namespaces/fleet-default/configmaps/awsmigrate.plans.prod":
		answer(map[string]any{"apiVersion": "v1", "kind": "ConfigMap", "metadata": map[string]any{"name": "awsmigrate.plans.prod"},
			"data": map[string]string{strings.TrimPrefix(p.hash, "sha256:") + ".json": p.text}})
	case strings.HasPrefix(r.URL.Path, "/apis/awsmigrate.io/v1alpha1/namespaces/bare/"): // as for a kind that is not served
		http.NotFound(w, r)
	default:
		w.WriteHeader(http.StatusNotFound)
		answer(map[string]any{"kind": "Status", "apiVersion": "v1", "status": "Failure", "reason": "NotFound", "code": 404})
	}
}

func TestApprove(t *testing.T) {
	const text = `{"version":"v1","steps":[{"id":"install-ccm","title":"install the cloud controller manager","state":{"kind":"todo"},"summary":["+ Helm release aws-cloud-controller-manager"]}]}`
	hash := fmt.Sprintf("sha256:%x", sha256.Sum256([]byte(text)))
	for name, tt := range map[string]struct {
		plan   publishedPlan
		args   string
		answer string // at a terminal; empty: no terminal
		code   int
		says   string
		writes bool
	}{
		"yes/approved":           {plan: publishedPlan{text: text}, answer: "yes\n", says: "approved; to see the progress: kubectl get awsm prod -n fleet-default -w", writes: true},
		"no/declined":            {plan: publishedPlan{text: text}, answer: "y\n", code: 7, says: "not approved"},
		"noTerminal/declined":    {plan: publishedPlan{text: text}, code: 7, says: "read the plan, then add --yes"},
		"flagYes/noQuestion":     {plan: publishedPlan{text: text}, args: "--yes", says: "approved", writes: true},
		"moved/refused":          {plan: publishedPlan{text: text, moved: true}, args: "--yes", code: 9, says: "another plan was published meanwhile", writes: true},
		"altered/refused":        {plan: publishedPlan{text: text + " "}, args: "--yes", code: 9, says: "is not the text of this hash"},
		"approved/nothingToDo":   {plan: publishedPlan{text: text, approved: hash, state: "Running"}, args: "--yes", says: "approved already"},
		"audit/nothingToApprove": {plan: publishedPlan{text: text, state: "Findings"}, args: "--yes", code: 2, says: "does not wait for an approval; it shows Findings"},
		"asListPrintsIt/found":   {plan: publishedPlan{text: text}, args: "--yes --cluster fleet-default/prod", says: "approved", writes: true},
		"kindNotServed/refused":  {plan: publishedPlan{text: text}, args: "--namespace bare", code: 2, says: "kind ClusterMigration: is not installed"},
		"unknown/notFound":       {plan: publishedPlan{text: text}, args: "--namespace other", code: 2, says: "ClusterMigration other/prod: does not exist"},
	} {
		t.Run(name, func(t *testing.T) {
			tt.plan.hash = hash
			if tt.plan.state == "" {
				tt.plan.state = "Awaiting-Approval"
			}
			server := httptest.NewServer(&tt.plan)
			defer server.Close()
			kubeconfig := kubeconfigFor(t, t.TempDir(), "kubeconfig", map[string]string{"a": server.URL})
			var out, errs bytes.Buffer
			args := append([]string{"approve", "--cluster", "prod", "--kubeconfig", kubeconfig}, strings.Fields(tt.args)...)
			code := Main(t.Context(), args, console.Streams{In: strings.NewReader(tt.answer), InTerminal: tt.answer != "", Out: &out, Err: &errs, Env: func(string) string { return "" }})
			if code != tt.code || !strings.Contains(errs.String(), tt.says) || (tt.plan.patch != "") != tt.writes {
				t.Errorf("exit %d, patch %q\n%s%s", code, tt.plan.patch, out.String(), errs.String())
			}
			if shows := strings.Contains(out.String(), "Helm release") && strings.Contains(out.String(), hash); shows != (code != 2 && name != "altered/refused") {
				t.Errorf("shows the plan: %t\n%s", shows, out.String())
			}
			if tt.writes && (!strings.Contains(tt.plan.patch, `{"op":"test","path":"/status/plan/hash","value":"`+hash+`"}`) || !strings.Contains(tt.plan.patch, `"/spec/approvedPlan"`)) {
				t.Errorf("patch %s", tt.plan.patch)
			}
		})
	}
}
