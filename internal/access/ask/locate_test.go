package ask

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"

	"github.com/awsmigrate/awsmigrate/internal/access"
	"github.com/awsmigrate/awsmigrate/internal/job"
	"github.com/awsmigrate/awsmigrate/internal/session"
	"github.com/awsmigrate/awsmigrate/internal/testing/standin"
	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

const (
	newer = "/apis/provisioning.cattle.io/v1/namespaces/fleet-default/clusters/"
	older = "/apis/management.cattle.io/v3/clusters"
	oldC  = `{"apiVersion":"management.cattle.io/v3","kind":"Cluster","metadata":{"name":"c-7kq2x"},"spec":{"displayName":"old","fleetWorkspaceName":"team-a","rancherKubernetesEngineConfig":{}},"status":{"driver":"rancherKubernetesEngine"}}`
)

// answering returns a server that answers known paths, denies those with "", and has no others.
func answering(t *testing.T, has map[string]string) *rest.Config {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, known := has[r.URL.Path]
		switch {
		case !known:
			standin.Refuse(w, http.StatusNotFound, metav1.StatusReasonNotFound, "not found")
		case body == "":
			standin.Refuse(w, http.StatusForbidden, metav1.StatusReasonForbidden, "forbidden")
		default:
			w.Header().Set("Content-Type", "application/json")
			fmt.Fprint(w, body)
		}
	}))
	t.Cleanup(server.Close)
	return &rest.Config{Host: server.URL + "/k8s/clusters/local"}
}

// The kind of a cluster, and the names that rights are bound to, are found as in an audit. If that is
// denied, the form of the name decides.
func TestLocate(t *testing.T) {
	const local = "/k8s/clusters/local"
	list := func(kind, items string) string {
		return `{"kind":"` + kind + `","apiVersion":"x/v1","items":[` + items + `]}`
	}
	at := func(has map[string]string) map[string]string {
		under := map[string]string{}
		for path, body := range has {
			under[local+path] = body
		}
		return under
	}
	all := "/apis/provisioning.cattle.io/v1/clusters"
	for name, tt := range map[string]struct {
		asked  string
		has    map[string]string
		kind   wellknown.Distribution
		id, in string
		secret job.SecretReference
		reason string
	}{
		"RKE2": {"prod", map[string]string{newer + "prod": `{"kind":"Cluster","apiVersion":"provisioning.cattle.io/v1","metadata":{"name":"prod"},"spec":{"rkeConfig":{"machineGlobalConfig":{"cloud-provider-config":"secret://fleet-default:cloud"}}}}`},
			wellknown.RKE2, "prod", "fleet-default", job.SecretReference{Namespace: "fleet-default", Name: "cloud"}, ""},
		"RKE by its id": {"c-7kq2x", map[string]string{newer + "c-7kq2x": `{"kind":"Cluster","apiVersion":"provisioning.cattle.io/v1","metadata":{"name":"c-7kq2x"},"spec":{}}`, older + "/c-7kq2x": oldC},
			wellknown.RKE, "c-7kq2x", "team-a", job.SecretReference{}, ""},
		"RKE by its name": {"old", map[string]string{all: list("ClusterList", ""), older: list("ClusterList", oldC)},
			wellknown.RKE, "c-7kq2x", "team-a", job.SecretReference{}, ""},
		"refused": {"prod", map[string]string{newer + "prod": ""}, wellknown.RKE2, "prod", "fleet-default", job.SecretReference{}, fault.ReasonForbidden},
		"an id, and all is refused": {"c-7kq2x", map[string]string{newer + "c-7kq2x": "", older + "/c-7kq2x": "", older: ""},
			wellknown.RKE, "c-7kq2x", "fleet-default", job.SecretReference{}, fault.ReasonForbidden},
		"no such cluster": {"prod", map[string]string{all: list("ClusterList", ""), older: list("ClusterList", oldC)},
			wellknown.RKE2, "prod", "fleet-default", job.SecretReference{}, migration.ReasonClusterNotFound},
		"no Rancher": {"prod", nil, wellknown.RKE2, "prod", "fleet-default", job.SecretReference{}, migration.ReasonNotRancher},
	} {
		target := session.Target{Kind: session.RKE2, Namespace: "fleet-default", Name: tt.asked, RequestTimeout: time.Minute}
		asRKE := target
		asRKE.Kind = session.RKE
		got := Question{Target: target, AsRKE: asRKE}.locate(t.Context(), access.API{}, answering(t, at(tt.has)))
		want := access.Cluster{Distribution: tt.kind, Asked: tt.asked, AskedIn: "fleet-default", Name: tt.id, Namespace: tt.in, CloudConfig: tt.secret}
		if got.cluster != want || string(got.target.Kind) != string(tt.kind) {
			t.Errorf("%s: %+v by %s, want %+v", name, got.cluster, got.target.Kind, want)
		}
		if (got.err == nil) != (tt.reason == "") || tt.reason != "" && !fault.HasReason(got.err, tt.reason) {
			t.Errorf("%s: %v, want %q", name, got.err, tt.reason)
		}
	}
}

// An error that missing rights explain is not reported separately.
func TestIsExplained(t *testing.T) {
	refused := &fault.Error{Class: fault.CouldNotLook, Reason: fault.ReasonForbidden}
	missing := access.API{Missing: []access.Right{{Verb: "get"}}}
	if !isExplained(refused, missing) || isExplained(refused, access.API{}) || isExplained(fmt.Errorf("x"), missing) || !isExplained(nil, missing) {
		t.Error("not what the rights say")
	}
}

// Without Rancher's proxy the cluster is reached by a kubeconfig in a Secret, unless the user names another.
func TestLocate_kubeconfigInSecret_kept(t *testing.T) {
	named := session.Server{Config: &rest.Config{Host: "https://own.example"}}
	for name, tt := range map[string]struct {
		host string
		own  session.Server
		kept bool
	}{
		"through Rancher":  {"https://rancher.example/k8s/clusters/local", session.Server{}, false},
		"past Rancher":     {"https://10.0.0.1:6443", session.Server{}, true},
		"the user's own":   {"https://10.0.0.1:6443", named, false},
		"own, and through": {"https://rancher.example/k8s/clusters/local", named, false},
	} {
		q := Question{Target: session.Target{Kind: session.RKE2, Name: "prod", Downstream: tt.own}}
		if got := q.locate(t.Context(), access.API{Err: fmt.Errorf("away")}, &rest.Config{Host: tt.host}); got.cluster.Kept != tt.kept {
			t.Errorf("%s: %v", name, got.cluster.Kept)
		}
	}
}
