package handoff_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/awsmigrate/awsmigrate/pkg/rke2/config/edits"
	"github.com/awsmigrate/awsmigrate/pkg/rke2/handoff"
)

// secret is the value in places of a configuration that no edit changes.
const secret = "hunter2-in-every-place"

// cloned returns a deep copy of a configuration.
func cloned(t *testing.T, rke map[string]any) (out map[string]any) {
	t.Helper()
	text, err := json.Marshal(rke)
	if err == nil {
		err = json.Unmarshal(text, &out)
	}
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// seeded puts secrets into keys and next to the arguments of a configuration.
func seeded(t *testing.T, rke map[string]any) map[string]any {
	t.Helper()
	rke = cloned(t, rke)
	seed := func(values map[string]any) {
		for _, key := range []string{"kube-controller-manager-arg", "kubelet-arg"} {
			if list, is := values[key].([]any); is {
				values[key] = append(list, "webhook-client-secret="+secret, "hook=https://u:"+secret+"@example.org")
			}
		}
		values["etcd-s3-secret-key"], values["agent-token"] = secret, secret
		values["kube-apiserver-arg"] = []any{"oidc-client-secret=" + secret}
		values["kube-controller-manager-extra-env"] = []any{"AWS_SECRET_ACCESS_KEY=" + secret}
	}
	if global, is := rke["machineGlobalConfig"].(map[string]any); is {
		seed(global)
	}
	entries, _ := rke["machineSelectorConfig"].([]any)
	for _, one := range entries {
		if entry, is := one.(map[string]any); is {
			if values, is := entry["config"].(map[string]any); is {
				seed(values)
			}
		}
	}
	rke["registries"] = map[string]any{"configs": map[string]any{"r": map[string]any{"auth": secret}}}
	rke["additionalManifest"] = "kind: Secret\nmetadata: {name: a}\nstringData: {a: " + secret + "}\n"
	return rke
}

// In no form does the published text contain a secret that an edit only carries over, and it
// names the command that prints the fragment. Without secrets it is the fragment itself.
func TestPublished(t *testing.T) {
	made, whole := 0, 0
	for _, c := range allEdits(t) {
		for _, with := range []bool{true, false} {
			rke := cloned(t, c.RKE)
			if with {
				rke = seeded(t, c.RKE)
			}
			spec := parse(t, rke)
			change, err := compute(c, spec)
			if err != nil || change.Empty() {
				continue
			}
			after, err := change.Apply(spec)
			if err != nil {
				t.Fatal(c.Name, err)
			}
			fragment := handoff.Fragment{Namespace: "fleet-default", Name: "demo", Head: []string{"one"}, Before: spec, After: after, Edit: change}
			if shown := fmt.Sprintf("%+v", texts(change.Shown())); strings.Contains(shown, secret) {
				t.Errorf("%s: the plan shows %s", c.Name, shown)
			}
			for _, form := range handoff.Forms() {
				full, err := fragment.Text(form)
				if err != nil {
					t.Fatal(err)
				}
				text, err := fragment.Published(form)
				if err != nil || strings.Contains(text, secret) {
					t.Errorf("%s, %s: %v\n%s", c.Name, form, err, text)
				}
				switch command := "awsmigrate rke2 plan --namespace fleet-default --cluster demo --edits handoff --handoff " + string(form); {
				case text == full:
					whole++
				case !strings.Contains(text, command):
					t.Errorf("%s, %s: it does not say how to print it:\n%s", c.Name, form, text)
				case strings.Contains(full, secret):
					made++
				}
			}
		}
	}
	if made < 40 || whole < 40 {
		t.Errorf("%d texts with secrets, %d without", made, whole)
	}
}

// texts returns the published parts of changes.
func texts(changes []edits.Change) (all []any) {
	for _, c := range changes {
		all = append(all, c.Location, c.Before, c.After, c.Diff)
	}
	return all
}
