package rke2

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/fake"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/rke2/config"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
)

func TestBackendCloudConfig(t *testing.T) {
	for name, tt := range map[string]struct {
		value  any // or nil
		secret map[string][]byte
		want   string
		reason string
	}{
		"none":                  {nil, nil, "", ""},
		"empty":                 {"", nil, "", ""},
		"inline":                {"[Global]\n", nil, "[Global]\n", ""},
		"in a Secret":           {"secret://fleet-default:cloud", map[string][]byte{"credential": []byte("[Global]\nVPC=v\n")}, "[Global]\nVPC=v\n", ""},
		"a Secret without it":   {"secret://fleet-default:cloud", map[string][]byte{"other": nil}, "", "BadCloudConfigSecret"},
		"no such Secret":        {"secret://fleet-default:another", nil, "", "NotFound"},
		"a reference that isnt": {"secret://cloud", nil, "", "BadCloudConfigReference"},
	} {
		p, _ := newMigration(t, Options{}, func(all map[string]object) {
			if tt.value != nil {
				all["cluster"]["spec"].(object)["rkeConfig"].(object)["machineGlobalConfig"] = object{config.KeyProvider: "aws", config.KeyCloudConfig: tt.value}
			}
		})
		p.clients.ManagementKube = fake.NewClientset(&corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: "fleet-default", Name: "cloud"}, Data: tt.secret})
		got, err := p.CloudConfig(t.Context(), p.observe(t, journal.Record{}))
		f, ok := fault.As(err)
		if got != tt.want || (err != nil) != (tt.reason != "") || ok && f.Reason != tt.reason {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
	p, _ := newMigration(t, Options{}, func(all map[string]object) {
		all["cluster"]["spec"].(object)["rkeConfig"].(object)["machineSelectorConfig"] = []any{
			object{"machineLabelSelector": object{"matchLabels": object{config.LabelWorker: "true"}}, "config": object{config.KeyCloudConfig: "a"}},
			object{"machineLabelSelector": object{"matchLabels": object{config.LabelControlPlane: "true"}}, "config": object{config.KeyCloudConfig: "b"}}}
	})
	if _, err := p.CloudConfig(t.Context(), p.observe(t, journal.Record{})); err == nil {
		t.Error("two cloud configs are in force, and one was taken")
	}
}
