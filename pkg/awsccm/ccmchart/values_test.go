package ccmchart

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/yaml"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

func TestValues(t *testing.T) {
	for _, c := range []struct {
		name     string
		values   string
		in       func(*Inputs)
		blocking []string // keys
		notes    []string
	}{
		{name: "nothing", values: "{}"},
		{name: "harmless", values: "env: [{name: A, value: b}]\npodAnnotations: {a: b}"},
		{name: "args without routes are completed", values: "args: [--v=4]"},
		{name: "flag in args is ours", values: "args: [--enable-leader-migration=false, --leader-migration-config=/x]", notes: []string{"args --enable-leader-migration", "args --leader-migration-config"}},
		{name: "no leader election", values: "args: [--leader-elect=false]", blocking: []string{"args --leader-elect"}},
		{name: "leader election last wins", values: "args: [--leader-elect=false, --leader-elect=true]"},
		{name: "routes by hand", values: "args: [--configure-cloud-routes]", blocking: []string{"args --configure-cloud-routes"}},
		{name: "routes taken away", values: "args: [--configure-cloud-routes=false]", in: func(i *Inputs) { i.Routes, i.ClusterCIDR = true, "10.0.0.0/8" }, blocking: []string{"args --configure-cloud-routes"}},
		{name: "other provider", values: "args: [--cloud-provider=external]", blocking: []string{"args --cloud-provider"}},
		{name: "other lease", values: "args: [--leader-elect-resource-name=mine]", blocking: []string{"args --leader-elect-resource-name"}},
		{name: "controllers off", values: "args: ['--controllers=*,-service']", blocking: []string{"args --controllers"}},
		{name: "tagging on, route off", values: "args: ['--controllers=*,tagging,-route']"},
		{name: "args no list", values: "args: --v=2", blocking: []string{"args"}},
		{name: "args not strings", values: "args: [2]", blocking: []string{"args"}},
		{name: "flag by value", values: "leaderMigration: {enabled: false}", blocking: []string{"leaderMigration.enabled"}},
		{name: "file off", values: "leaderMigration: {mountConfig: false}", blocking: []string{"leaderMigration.mountConfig"}},
		{name: "file off where not needed", values: "leaderMigration: {mountConfig: false}", in: func(i *Inputs) { i.KubernetesVersion = "v1.23.17+rke2r1" }},
		{name: "name", values: "nameOverride: mine\nnamespace: default", blocking: []string{"nameOverride", "namespace"}},
		{name: "pod network", values: "hostNetworking: false", notes: []string{"hostNetworking"}},
		{name: "own tolerations", values: "tolerations: [{key: node-role.kubernetes.io/etcd, operator: Exists}]", blocking: []string{"tolerations"}},
		{name: "tolerate all", values: "tolerations: [{operator: Exists}]"},
		{name: "toleration with the wrong value", values: "tolerations: [{key: node-role.kubernetes.io/etcd, value: 'true'}, {key: team, operator: Exists}]", blocking: []string{"tolerations"}},
		{name: "selector changed", values: "nodeSelector: {node-role.kubernetes.io/control-plane: ''}", blocking: []string{"nodeSelector.node-role.kubernetes.io/control-plane"}},
		{name: "selector narrowed", values: "nodeSelector: {zone: a}", notes: []string{"nodeSelector.zone"}},
		{name: "on delete", values: "updateStrategy: {type: OnDelete}", blocking: []string{"updateStrategy.type"}},
		{name: "all at once", values: "updateStrategy: {rollingUpdate: {maxUnavailable: 100%}}", notes: []string{"updateStrategy.rollingUpdate.maxUnavailable"}},
		{name: "rights cut", values: "clusterRoleRules: [{apiGroups: [''], resources: [nodes], verbs: ['*']}]", blocking: []string{"clusterRoleRules"}},
		{name: "all rights", values: "clusterRoleRules: [{apiGroups: ['*'], resources: ['*'], verbs: ['*']}]"},
		{name: "leases cut", values: "leaderElection: {leases: [cloud-controller-manager]}", blocking: []string{"leaderElection.leases"}},
		{name: "two cloud configs", values: "cloudConfig: {content: x}", in: func(i *Inputs) { i.CloudConfig = "[Global]\n" }, blocking: []string{"cloudConfig.content"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			in := Inputs{Distribution: wellknown.RKE2, KubernetesVersion: "v1.26.15+rke2r1", LeaderMigration: true, ControlPlaneTaints: []corev1.Taint{
				{Key: "node-role.kubernetes.io/etcd", Effect: corev1.TaintEffectNoExecute},
				{Key: "team", Value: "platform", Effect: corev1.TaintEffectNoSchedule},
				{Key: "soft", Effect: corev1.TaintEffectPreferNoSchedule},
				{Key: corev1.TaintNodeUnschedulable, Effect: corev1.TaintEffectNoSchedule},
			}}
			if c.in != nil {
				c.in(&in)
			}
			if err := yaml.Unmarshal([]byte(c.values), &in.UserValues); err != nil {
				t.Fatal(err)
			}
			before := deepCopy(in.UserValues)
			out, err := Values(in)
			if diff := cmp.Diff(before, in.UserValues); diff != "" {
				t.Errorf("the user's values were changed:\n%s", diff)
			}
			blocked, notes := map[string]bool{}, map[string]bool{}
			for _, c := range out.Concerns {
				if c.Blocking {
					blocked[c.Key] = true
				} else {
					notes[c.Key] = true
				}
				if c.Why == "" || c.Seen == "" {
					t.Errorf("concern without seen or why: %+v", c)
				}
			}
			compareKeys(t, "blocking", c.blocking, blocked)
			compareKeys(t, "notes", c.notes, notes)
			if (err != nil) != (len(c.blocking) > 0) {
				t.Errorf("error %v", err)
			}
			for _, key := range c.blocking {
				if !strings.Contains(err.Error(), key) {
					t.Errorf("the error hides %s: %v", key, err)
				}
			}
		})
	}
}

func compareKeys(t *testing.T, what string, want []string, got map[string]bool) {
	t.Helper()
	for _, k := range want {
		if !got[k] {
			t.Errorf("%s: no concern about %s, only %v", what, k, got)
		}
		delete(got, k)
	}
	for k := range got {
		t.Errorf("%s: unexpected concern about %s", what, k)
	}
}

func TestValues_badInputs_error(t *testing.T) {
	good := Inputs{Distribution: wellknown.RKE2, KubernetesVersion: "v1.26.15"}
	for name, spoil := range map[string]func(*Inputs){
		"distribution":     func(i *Inputs) { i.Distribution = "k3s" },
		"no CIDR":          func(i *Inputs) { i.Routes = true },
		"image too new":    func(i *Inputs) { i.Image = "v1.28.1" },
		"user's image new": func(i *Inputs) { i.UserValues = map[string]any{"image": map[string]any{"tag": "v1.35.0"}} },
		"image no string":  func(i *Inputs) { i.UserValues = map[string]any{"image": map[string]any{"tag": 1.26}} },
		"no image known":   func(i *Inputs) { i.KubernetesVersion = "v1.99.2" },
		"durations":        func(i *Inputs) { i.LeaderElection.RenewDeadline = 15 * time.Second },
		"cloud config":     func(i *Inputs) { i.CloudConfig = "Zone = a" },
	} {
		in := good
		spoil(&in)
		if _, err := Values(in); err == nil || fault.ClassOf(err) == fault.Unexpected {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := Values(good); err != nil {
		t.Error(err)
	}
	newer := good
	newer.KubernetesVersion, newer.Image = "v1.99.2", "v1.99.0"
	if out, err := Values(newer); err != nil || out.Image.Tag != "v1.99.0" {
		t.Errorf("a named image for a version outside the matrix: %v", err)
	}
}

func TestValues_userImage_decidesFile(t *testing.T) {
	for tag, want := range map[string]bool{"v1.23.20": false, "v1.24.19": true, "mirror-1": true} {
		out, err := Values(Inputs{
			Distribution: wellknown.RKE2, KubernetesVersion: "v1.24.17", LeaderMigration: true, Image: "v1.24.19",
			UserValues: map[string]any{"image": map[string]any{"tag": tag}},
		})
		if err != nil {
			t.Fatal(err)
		}
		if got := asMap(out.Values["leaderMigration"])["mountConfig"]; got != want {
			t.Errorf("%s: mountConfig %v", tag, got)
		}
	}
}

func TestTolerations_taints_covered(t *testing.T) {
	found := []corev1.Taint{
		{Key: "z", Effect: corev1.TaintEffectNoSchedule},
		{Key: "a", Value: "1", Effect: corev1.TaintEffectNoExecute},
		{Key: "a", Value: "2", Effect: corev1.TaintEffectNoExecute},
		{Key: "soft", Effect: corev1.TaintEffectPreferNoSchedule},
		{Key: "node-role.kubernetes.io/etcd", Value: "true", Effect: corev1.TaintEffectNoExecute},
		{Key: corev1.TaintNodeUnreachable, Effect: corev1.TaintEffectNoExecute},
	}
	got := Tolerations(found)
	more := got[len(baseTolerations()):]
	if len(more) != 2 || more[0].Key != "a" || more[1].Key != "z" {
		t.Errorf("added %v", more)
	}
	for _, taint := range found {
		if taint.Effect != corev1.TaintEffectPreferNoSchedule && !tolerated(taint, append(got, automaticTolerations()...)) {
			t.Errorf("%s is not tolerated", taint.ToString())
		}
	}
}

// A Node that does not answer has temporary taints. They need no toleration, and its values
// equal those of the same Node when it is up.
func TestTolerations_nodesDown_ignored(t *testing.T) {
	inputs := func(taints ...corev1.Taint) Inputs {
		return Inputs{Distribution: wellknown.RKE2, KubernetesVersion: "v1.26.15", ControlPlaneTaints: taints}
	}
	up, err := Values(inputs())
	if err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{corev1.TaintNodeUnreachable, corev1.TaintNodeNotReady, "node.cloudprovider.kubernetes.io/shutdown", corev1.TaintNodeOutOfService} {
		for _, effect := range []corev1.TaintEffect{corev1.TaintEffectNoSchedule, corev1.TaintEffectNoExecute} {
			taint := corev1.Taint{Key: key, Effect: effect}
			down, err := Values(inputs(taint))
			if err != nil {
				t.Errorf("%s: %v", taint.ToString(), err)
				continue
			}
			if diff := cmp.Diff(up.Values, down.Values); diff != "" {
				t.Errorf("%s changes the values:\n%s", taint.ToString(), diff)
			}
		}
	}
}

func TestTolerations_chartDefaults_equal(t *testing.T) {
	var defaults struct{ Tolerations []corev1.Toleration }
	for _, f := range ownChartForTest(t).Raw {
		if f.Name == "values.yaml" {
			if err := yaml.Unmarshal(f.Data, &defaults); err != nil {
				t.Fatal(err)
			}
		}
	}
	if diff := cmp.Diff(baseTolerations(), defaults.Tolerations); diff != "" {
		t.Errorf("values.yaml and baseTolerations differ:\n%s", diff)
	}
}

// Three control planes have the same taints, and one list of rules lacks many verbs: each
// concern must appear once, and the fix must name each key once.
func TestValues_repeatedConcern_once(t *testing.T) {
	taint := corev1.Taint{Key: "node-role.kubernetes.io/etcd", Effect: corev1.TaintEffectNoExecute}
	_, err := Values(Inputs{
		Distribution: wellknown.RKE2, KubernetesVersion: "v1.26.15", ControlPlaneTaints: []corev1.Taint{taint, taint, taint},
		UserValues: map[string]any{"tolerations": []any{}, "clusterRoleRules": []any{}},
	})
	f, ok := fault.As(err)
	if !ok {
		t.Fatal(err)
	}
	if n := strings.Count(f.Seen, taint.ToString()); n != 1 {
		t.Errorf("the taint is named %d times: %s", n, f.Seen)
	}
	if want := "take out of --values: tolerations, clusterRoleRules"; f.Fix != want {
		t.Errorf("fix %q, wanted %q", f.Fix, want)
	}
}
