package audit

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/client-go/rest"
	clienttesting "k8s.io/client-go/testing"

	"github.com/awsmigrate/awsmigrate/internal/testing/clustertest"
	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/runner/retry"
	"github.com/awsmigrate/awsmigrate/pkg/verify"
	"github.com/awsmigrate/awsmigrate/pkg/verify/bundle"
	"github.com/awsmigrate/awsmigrate/pkg/verify/checks/evidence"
	"github.com/awsmigrate/awsmigrate/pkg/verify/position"
	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

// No other manager may run when a run begins, and again before each change of the manager. A
// short outage is a transient error, not a finding.
func TestAlone_otherManagers_error(t *testing.T) {
	stranger := func(client *fake.Clientset) error {
		return client.Tracker().Add(&corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "web", Name: "kcm"},
			Spec: corev1.PodSpec{NodeName: "worker", Containers: []corev1.Container{{Name: "m", Command: []string{"kube-controller-manager"}, Args: []string{"--cloud-provider=aws"}}}}})
	}
	refuse := func(resource string, with error) func(*fake.Clientset) error {
		return func(client *fake.Clientset) error {
			client.PrependReactor("list", resource, func(clienttesting.Action) (bool, runtime.Object, error) { return true, nil, with })
			return nil
		}
	}
	away := apierrors.NewServiceUnavailable("no agent")
	denied := apierrors.NewForbidden(corev1.Resource("nodes"), "", nil)
	noStatic := func(client *fake.Clientset) error {
		for _, node := range []string{"cp-0", "cp-1"} {
			if err := client.CoreV1().Pods(wellknown.System).Delete(t.Context(), wellknown.KCM+"-"+node, metav1.DeleteOptions{}); err != nil {
				return err
			}
		}
		return nil
	}
	for name, tt := range map[string]struct {
		at     position.Position
		change func(*fake.Clientset) error
		kind   wellknown.Distribution
		alone  bool
		again  bool
	}{
		"none, in-tree":            {at: position.P2, alone: true},
		"none next to the CCM":     {at: position.P3, alone: true},
		"another manager's pod":    {at: position.P2, change: stranger},
		"the API is away":          {at: position.P2, change: refuse("nodes", away), again: true},
		"DaemonSets are away":      {at: position.P2, change: refuse("daemonsets", away), again: true},
		"Nodes are forbidden":      {at: position.P2, change: refuse("nodes", denied)},
		"they run outside the API": {at: position.P2, change: noStatic, kind: wellknown.RKE, alone: true},
	} {
		access, client, by := clustertest.Reached(tt.at)
		core := Auditor{Access: access, Backend: by}
		if tt.kind != "" {
			core.Distribution = tt.kind
		}
		snap := clustertest.At(tt.at)
		if tt.change != nil {
			if err := tt.change(client); err != nil {
				t.Fatal(err)
			}
		}
		if err := Alone(t.Context(), core.Access, snap); (err == nil) != tt.alone {
			t.Errorf("%s: %v", name, err)
		}
		err := RequireAlone(t.Context(), core.Access, snap)
		if again := err != nil && strings.HasPrefix(err.Error(), "look for other controller managers: "); (err == nil) != tt.alone || again != tt.again || again != (err != nil && retry.Transient(err)) {
			t.Errorf("%s: required: %v", name, err)
		}
	}
	access, _, by := clustertest.Reached(position.P2)
	core := Auditor{Access: access, Backend: by}
	core.Config.Host = "no URL: %"
	if err := Alone(t.Context(), core.Access, migration.Snapshot{}); err == nil {
		t.Error("no error without a client")
	}
}

// Gather adds the journal's fingerprint and its error to the observation.
func TestGather_journal_added(t *testing.T) {
	access, _, by := clustertest.Reached(position.P1)
	core := Auditor{Access: access, Backend: by}
	by.Own = []verify.Bound{clustertest.Failing()}
	record := clustertest.Printed(t, clustertest.Prints()...)
	record.Unread = clustertest.ErrAway
	snap := clustertest.At(position.P1)
	snap.Record = record
	for name, gather := range map[string]func() (Inspection, error){
		"all":  func() (Inspection, error) { return core.Gather(t.Context(), snap, true) },
		"part": func() (Inspection, error) { return core.GatherAPIOnly(t.Context(), record) },
	} {
		got, err := gather()
		if err != nil || got.Input.Fingerprint == nil || len(got.Input.Fingerprint.Nodes) != 3 || got.Input.Unread == nil {
			t.Errorf("%s: %v, fingerprint %+v, unread %v", name, err, got.Input.Fingerprint, got.Input.Unread)
		}
		if own := name == "all"; (len(got.Own) == 1) != own || len(got.Bound()) <= len(got.Own) || got.Input.Plain == own || got.Input.Admission.OK() != own {
			t.Errorf("%s: %d of its own, %d, plain %t, admission %+v", name, len(got.Own), len(got.Bound()), got.Input.Plain, got.Input.Admission)
		}
		if version := got.Input.Version.Value; version != "v1.26.15+rke2r1" || got.Input.Distribution != wellknown.RKE2 {
			t.Errorf("%s: %s, %s", name, version, got.Input.Distribution)
		}
		got, err = core.Gather(t.Context(), clustertest.At(position.P1), true)
		if err != nil || got.Input.Fingerprint != nil || got.Input.Unread != nil {
			t.Errorf("no fingerprint: %v, %+v", err, got.Input.Fingerprint)
		}
	}
	core.Config.Host = "no URL: %"
	for name, err := range map[string]error{"all": clustertest.ErrOf(core.Gather(t.Context(), snap, true)), "part": clustertest.ErrOf(core.GatherAPIOnly(t.Context(), record))} {
		if err == nil {
			t.Errorf("%s, without a client: %v", name, err)
		}
	}
}

// The version shows the distribution of a cluster that is known only by its API. A partial
// answer suffices; no answer is an error.
func TestAPIOnlyGather_answers_partSuffices(t *testing.T) {
	for name, tt := range map[string]struct {
		version string
		refuse  []string
		given   wellknown.Distribution
		want    wellknown.Distribution
		fails   bool
	}{
		"RKE2":                  {"v1.26.15+rke2r1", nil, "", wellknown.RKE2, false},
		"another":               {"v1.26.15", nil, "", "", false},
		"known from elsewhere":  {"v1.26.15", nil, wellknown.RKE, wellknown.RKE, false},
		"no Nodes":              {"v1.26.15+rke2r1", []string{"nodes"}, "", wellknown.RKE2, false},
		"no version":            {"", nil, "", "", false},
		"Nodes alone":           {"", []string{"namespaces"}, "", "", false},
		"the namespace alone":   {"", []string{"nodes"}, "", "", false},
		"nothing of it answers": {"", []string{"nodes", "namespaces"}, "", "", true},
	} {
		access, client, by := clustertest.Reached(position.P1)
		core := Auditor{Access: access, Backend: by}
		config := core.Config
		config.Transport = clustertest.Versioned{RoundTripper: config.Transport, Version: tt.version}
		for _, resource := range tt.refuse {
			client.PrependReactor("*", resource, func(clienttesting.Action) (bool, runtime.Object, error) {
				return true, nil, apierrors.NewForbidden(corev1.Resource(resource), "", nil)
			})
		}
		got, err := APIOnly{Config: config, Clock: core.Clock, Options: core.Options, Distribution: tt.given}.Gather(t.Context())
		if f, ok := fault.As(err); ok != tt.fails || ok && (f.Reason != "Unreachable" || f.Class != fault.CouldNotLook) || got.Input.Distribution != tt.want || got.Input.Plain == tt.fails {
			t.Errorf("%s: %v, %q, plain %t", name, err, got.Input.Distribution, got.Input.Plain)
		}
	}
	for name, answer := range map[string]http.HandlerFunc{
		"no API": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			_, _ = w.Write([]byte("{}"))
		},
		"a page":    func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("<html></html>")) },
		"no answer": func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) },
		"a 403 page": func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusForbidden)
			_, _ = w.Write([]byte("<html></html>"))
		},
	} {
		access, _, _ := clustertest.Reached(position.P1)
		server := httptest.NewServer(answer)
		_, err := APIOnly{Config: &rest.Config{Host: server.URL, Timeout: time.Second}, Clock: access.Clock}.Gather(t.Context())
		if f, ok := fault.As(err); !ok || f.Reason != "Unreachable" || f.Fix == "" || !strings.Contains(f.Object, server.URL) {
			t.Errorf("%s: %v", name, err)
		}
		server.Close()
	}
	if _, err := (APIOnly{Config: invalidConfig(), Clock: clustertest.Clock{}}).Gather(t.Context()); err == nil {
		t.Error("gathered without a client")
	}
}

// The installation is computed before the first write, unless the CCM exists or the audit is
// read-only. Checks report obstacles.
func TestPrepare_position_installationComputed(t *testing.T) {
	refuse := func(client *fake.Clientset) {
		client.PrependReactor("create", "pods", func(clienttesting.Action) (bool, runtime.Object, error) {
			return true, nil, apierrors.NewServiceUnavailable("away")
		})
		client.PrependReactor("get", "serviceaccounts", func(clienttesting.Action) (bool, runtime.Object, error) {
			return true, nil, apierrors.NewServiceUnavailable("away")
		})
	}
	for name, tt := range map[string]struct {
		at       position.Position
		change   func(*Auditor, *clustertest.Side, *fake.Clientset)
		planned  bool
		chart    verify.Status // empty without a finding
		concerns verify.Status
		admitted bool
	}{
		"before the CCM":       {position.P2, nil, true, "", "", true},
		"the CCM is there":     {position.P3, nil, false, "", "", false},
		"nothing is written":   {position.P2, func(m *Auditor, _ *clustertest.Side, _ *fake.Clientset) { m.Options.ReadOnly = true }, false, verify.Skip, verify.Skip, false},
		"values make no chart": {position.P2, func(m *Auditor, _ *clustertest.Side, _ *fake.Clientset) { m.Options.CCMImage = "not an image:" }, false, verify.Fail, "", false},
		"a value to know of": {position.P2, func(_ *Auditor, s *clustertest.Side, _ *fake.Clientset) {
			s.Cloud = "[Global]\nDisableSecurityGroupIngress=true\n"
		}, true, "", "", true},
		"admission is unknown": {position.P2, func(_ *Auditor, _ *clustertest.Side, client *fake.Clientset) { refuse(client) }, true, verify.Unknown, "", false},
		"no client for Helm":   {position.P2, func(m *Auditor, _ *clustertest.Side, _ *fake.Clientset) { m.Config.Host = "no URL: %" }, false, verify.Fail, "", false},
	} {
		access, client, by := clustertest.Reached(tt.at)
		core := Auditor{Access: access, Backend: by}
		snap := clustertest.At(tt.at)
		if tt.change != nil {
			tt.change(&core, by, client)
		}
		got := core.prepare(t.Context(), snap, !core.Options.ReadOnly)
		status := func(all []verify.Finding) verify.Status {
			if len(all) == 0 {
				return ""
			}
			return all[0].Status
		}
		if (got.PlannedSet != nil) != tt.planned || got.Admission.OK() != tt.admitted || status(got.ChartFindings()) != tt.chart || status(got.ConcernFindings()) != tt.concerns {
			t.Errorf("%s: planned %t, admission %+v, chart %+v, concerns %+v", name, got.PlannedSet != nil, got.Admission, got.ChartFindings(), got.ConcernFindings())
		}
		if got.Stands != tt.at || got.Writes == core.Options.ReadOnly || got.RestErr != nil {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

// The actions are those of the CCM's image; an unknown image has none.
func TestIAMActions_image_actions(t *testing.T) {
	for name, tt := range map[string]struct {
		image, version, routes string
		target                 string
		some, route, topology  bool
	}{
		"of the matrix":           {"", "v1.26.15+rke2r1", "", "", true, false, false},
		"with routes":             {"", "v1.26.15+rke2r1", "on", "", true, true, false},
		"without":                 {"", "v1.26.15+rke2r1", "off", "", true, false, false},
		"of an image":             {"registry.k8s.io/provider-aws/cloud-controller-manager:v1.26.6", "v1.99.0", "", "", true, false, false},
		"of a newer minor":        {"", "v1.30.14+rke2r1", "", "", true, false, true},
		"of the upgrade's image":  {"", "v1.29.15+rke2r1", "", "v1.30.14+rke2r1", true, false, true},
		"no image for it":         {"", "v1.99.0", "", "", true, false, true},
		"no image for the target": {"", "v1.26.15+rke2r1", "", "v1.99.0", true, false, true},
		"an image that is none":   {"not an image:", "v1.26.15+rke2r1", "", "", false, false, false},
	} {
		got := iamActions(migration.Options{CCMImage: tt.image, CloudRoutes: tt.routes, KubernetesVersion: tt.target}, tt.version)
		if (len(got) > 0) != tt.some || slices.Contains(got, "ec2:CreateRoute") != tt.route || slices.Contains(got, "ec2:DescribeInstanceTopology") != tt.topology {
			t.Errorf("%s: %q", name, got)
		}
	}
	for image, want := range map[string]bool{"registry.k8s.io/provider-aws/cloud-controller-manager:v1.26.6": true, "registry.k8s.io/provider-aws/cloud-controller-manager:v1.20.0": false, "not an image:": false} {
		if err := ImageAllowed(image, "v1.26.15+rke2r1", "v1.26.15+rke2r1"); (err == nil) != want {
			t.Errorf("%s: %v", image, err)
		}
	}
}

// invalidConfig returns a config from which no client can be made.
func invalidConfig() *rest.Config { return &rest.Config{Host: "no URL: %"} }

// An unusual chart value is a warning; one that forbids the installation is a failure.
func TestConcernFindings_values_warnOrFail(t *testing.T) {
	access, _, by := clustertest.Reached(position.P2)
	core := Auditor{Access: access, Backend: by}
	by.Cloud = "[Global]\nRoleARN=arn:aws:iam::1:role/x\nNotAKey=1\n"
	core.Options.Values = map[string]any{"args": []any{"--enable-leader-migration=true"}, "notOfTheChart": "x"}
	got := core.prepare(t.Context(), clustertest.At(position.P2), true)
	if found := got.ConcernFindings(); len(found) != 2 || found[0].Status != verify.Warn {
		t.Errorf("%+v", found)
	}
	core.Options.Values = map[string]any{"namespace": "other"}
	got = core.prepare(t.Context(), clustertest.At(position.P2), true)
	if found := got.ConcernFindings(); len(found) != 1 || found[0].Status != verify.Fail {
		t.Errorf("%+v", found)
	}
}

// The backend adds its evidence before it decides and returns its checks. A bundle records
// whether the run writes.
func TestGather_backend_evidenceFirst(t *testing.T) {
	for _, writes := range []bool{true, false} {
		access, _, by := clustertest.Reached(position.P1)
		by.EndState = evidence.EndState("overrides")
		got, err := Auditor{Access: access, Backend: by}.Gather(t.Context(), clustertest.At(position.P1), writes)
		if err != nil {
			t.Fatal(err)
		}
		if len(by.Decided) != 1 || len(by.Asked) != 1 || by.Decided[0].EndState != by.EndState || by.Asked[0].EndState != by.EndState || got.Input.EndState != by.EndState {
			t.Errorf("decided %d times, asked %d times, evidence %q", len(by.Decided), len(by.Asked), got.Input.EndState)
		}
		text, err := got.EncodeBundle(bundle.NewRedactor())
		if err != nil || string(text) != "side" || len(by.Encoded) != 1 || by.Encoded[0] != writes {
			t.Errorf("writes %t: %v, %q, %v", writes, err, text, by.Encoded)
		}
	}
}

// Checks judge the given cloud config. If the cluster's own cannot be read, it is unset in an
// audit and failed in a run.
func TestCloudConfig_source_readOrFailed(t *testing.T) {
	for name, tt := range map[string]struct {
		text  string
		fails bool
		want  string
	}{
		"given_parsed":              {"[Global]\nKubernetesClusterID = demo\n", false, "demo"},
		"given, unreadable_failed":  {"[Global\n", true, ""},
		"none in the cluster_empty": {"", false, ""},
	} {
		t.Run(name, func(t *testing.T) {
			access, _, by := clustertest.Reached(position.P1)
			core := Auditor{Access: access, Backend: by}
			core.Options.CloudConfig = tt.text
			got := core.cloudConfig(t.Context(), clustertest.At(position.P1))
			if !got.Looked || (got.Err != nil) != tt.fails || got.Value.Cluster() != tt.want {
				t.Errorf("%+v", got)
			}
		})
	}
	for _, readOnly := range []bool{false, true} {
		access, _, by := clustertest.Reached(position.P1)
		by.CloudErr = clustertest.ErrAway
		core := Auditor{Access: access, Backend: by}
		core.Options.ReadOnly = readOnly
		if got := core.cloudConfig(t.Context(), clustertest.At(position.P1)); got.OK() || got.Looked == readOnly {
			t.Errorf("it could not be read, read-only %t: %+v", readOnly, got)
		}
	}
	access, _, by := clustertest.Reached(position.P4)
	core := Auditor{Access: access, Backend: by}
	core.Options.ReadOnly, core.Distribution = true, wellknown.RKE
	if got := core.cloudConfig(t.Context(), clustertest.At(position.P4)); got.Looked {
		t.Errorf("the audit read a Secret without permission: %+v", got)
	}
}
