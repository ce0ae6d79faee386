package config

import (
	"reflect"
	"testing"
)

func TestShown(t *testing.T) {
	for name, tt := range map[string]struct {
		key         string
		value, want any
	}{
		"argument_with_secret_hidden":       {"kube-controller-manager-arg", []any{"x-client-secret=hunter2"}, []any{"x-client-secret=" + notShown}},
		"argument_with_dashes_hidden":       {"kubelet-arg", []any{"--token=hunter2", "--a b=c"}, []any{"--token=" + notShown, "--a b=" + notShown}},
		"argument_without_value_hidden":     {"kubelet-arg", []any{"hunter2"}, []any{notShown}},
		"argument_as_text_hidden":           {"kubelet-arg", "token=hunter2", "token=" + notShown},
		"argument_of_an_edit_shown":         {"kubelet-arg", []any{" cloud-provider=external", "--enable-leader-migration"}, []any{" cloud-provider=external", "--enable-leader-migration"}},
		"argument_with_plain_value_shown":   {"kubelet-arg", []any{"max-pods=250", "x=true", "y=5s"}, []any{"max-pods=250", "x=true", "y=5s"}},
		"key_that_is_known_shown":           {"cni", "calico", "calico"},
		"key_that_is_unknown_hidden":        {"etcd-s3-secret-key", "hunter2", notShown},
		"switch_shown":                      {"etcd-s3", true, true},
		"long_number_hidden":                {"etcd-s3-secret-key", int64(12345678), notShown},
		"nested_value_hidden":               {"anything", map[string]any{"a": []any{"hunter2", true}}, map[string]any{"a": []any{notShown, true}}},
		"cloud_config_text_hidden":          {KeyCloudConfig, "[Global]\nsecret=hunter2", notShown},
		"cloud_config_by_name_of_a_Secret":  {KeyCloudConfig, "secret://fleet-default:x", "secret://fleet-default:x"},
		"null_shown":                        {"profile", nil, nil},
		"environment_hidden":                {"kube-controller-manager-extra-env", []any{"AWS_SECRET_ACCESS_KEY=hunter2"}, []any{notShown}},
		"argument_like_one_of_ours_hidden":  {"kubelet-arg", []any{"cloud-provider-token=hunter2"}, []any{"cloud-provider-token=" + notShown}},
		"feature_gates_of_a_component_show": {"kubelet-arg", []any{"feature-gates=A=true,B=false"}, []any{"feature-gates=A=true,B=false"}},
	} {
		t.Run(name, func(t *testing.T) {
			if got := Shown(tt.key, tt.value); !reflect.DeepEqual(got, tt.want) {
				t.Errorf("%#v, wanted %#v", got, tt.want)
			}
		})
	}
}

func TestShownFields(t *testing.T) {
	got := ShownFields(map[string]any{
		"machineGlobalConfig":   map[string]any{"cni": "calico", "token": "hunter2"},
		"machineSelectorConfig": []any{map[string]any{"machineLabelSelector": map[string]any{"matchLabels": map[string]any{"a": "b"}}, "config": map[string]any{"agent-token": "hunter2"}}, map[string]any{"config": nil, "stray": "hunter2"}},
		"additionalManifest":    "kind: Secret",
		"gone":                  nil,
	})
	want := map[string]any{
		"machineGlobalConfig":   map[string]any{"cni": "calico", "token": notShown},
		"machineSelectorConfig": []any{map[string]any{"machineLabelSelector": map[string]any{"matchLabels": map[string]any{"a": "b"}}, "config": map[string]any{"agent-token": notShown}}, map[string]any{"config": nil, "stray": notShown}},
		"additionalManifest":    notShown,
		"gone":                  nil,
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%v, wanted %v", got, want)
	}
}
