package sim

import (
	"context"
	"encoding/base64"
	"fmt"
	"strings"
	"testing"

	"github.com/awsmigrate/awsmigrate/pkg/runner"
)

// environmentSecret holds the secret variables of the cloud controller manager.
const environmentSecret = "aws-cloud-controller-manager-environment"

// proxied is the environment of a kube-controller-manager with secrets.
var proxied = []any{"HTTPS_PROXY=http://user:" + hunter + "@proxy.example.org:3128", "NO_PROXY=169.254.169.254", "AWS_ACCESS_KEY_ID=" + hunter,
	"AWS_SECRET_ACCESS_KEY=" + hunter, "AWS_STS_REGIONAL_ENDPOINTS=regional"}

// The CCM gets the environment of kube-controller-manager on every distribution. Secret values are
// in no plan, event, journal, record, report or object, except a Secret.
func TestSurroundingsReachTheCCM(t *testing.T) {
	config := managedConfig()
	mapAt(config, "services", "kubeController")["extraEnv"] = proxied
	var lines strings.Builder
	for _, one := range proxied {
		fmt.Fprintf(&lines, "    - %q\n", one)
	}
	for name, w := range map[string]*World{
		"rke2":           newRKE2(object{"cni": "calico", "kube-controller-manager-extra-env": proxied}),
		"rke":            newRKE(strings.Replace(rkeYAML, "  kube-controller:\n", "  kube-controller:\n    extra_env:\n"+lines.String(), 1)),
		"rke in Rancher": newManaged(config),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var texts []string
			note := func(v any) { texts = append(texts, string(must(jsonOf(v)))) }
			r := Run{ID: runID(1), EveryReading: true, Attended: true, Sink: runner.SinkFunc(func(e runner.Event) { note(e) }),
				Asks: func(_ context.Context, p runner.Proposal) error { note(p); return nil }}
			ended, seen := recordRun(t, r, w)
			note(seen)
			texts = append(texts, w.Journal())
			if ended.Err != nil || len(w.Violations()) > 0 {
				t.Fatal(ended.Err, w.Violations())
			}
			all := unpackAll(strings.Join(texts, "\n"))
			if at := strings.Index(all, hunter); at >= 0 {
				t.Errorf("a document holds the secret: %s", all[max(0, at-600):at])
			}
			if !strings.Contains(all, "HTTPS_PROXY (in a Secret)") {
				t.Error("no document names the variable")
			}
			w.requireEnvironment(t)
		})
	}
}

// requireEnvironment compares the CCM's environment with proxied, and looks for secrets elsewhere.
func (w *World) requireEnvironment(t *testing.T) {
	t.Helper()
	env := map[string]string{}
	set, secret := w.down.peek(daemonSets, kubeSystem, ccmName), w.down.peek("secrets", kubeSystem, environmentSecret)
	for _, one := range list(at(set, "spec", "template", "spec", "containers").([]any)[0].(object), "env") {
		o := one.(object)
		env[text(o, "name")] = text(o, "value")
		if key := text(o, "valueFrom", "secretKeyRef", "key"); key != "" {
			raw, err := base64.StdEncoding.DecodeString(text(secret, "data", key))
			if err != nil {
				t.Fatal(err)
			}
			env[text(o, "name")] = string(raw)
		}
	}
	for _, one := range proxied {
		name, value, _ := strings.Cut(one.(string), "=")
		if name == "NO_PROXY" {
			value += ",$(KUBERNETES_SERVICE_HOST)"
		}
		if env[name] != value {
			t.Errorf("%s is %q", name, env[name])
		}
	}
	for _, s := range []*server{w.mgmt, w.down} {
		if s == nil {
			continue
		}
		for k, found := range s.objects {
			ours := isOwn(k) || k.resource == daemonSets || k.resource == "configmaps"
			if ours && strings.Contains(unpackAll(string(found.raw)), hunter) {
				t.Errorf("%s %s holds the secret", k.resource, k.name)
			}
		}
	}
}
