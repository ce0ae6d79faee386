package migration

import (
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

func TestLastWriter_managedFields_newestOfSpec(t *testing.T) {
	entry := func(manager, time, field, subresource string) any {
		e := map[string]any{"manager": manager, "operation": "Update", "fieldsV1": map[string]any{"f:" + field: map[string]any{}}}
		if time != "" {
			e["time"] = "2026-11-22T10:00:" + time + "Z"
		}
		if subresource != "" {
			e["subresource"] = subresource
		}
		return e
	}
	for name, tt := range map[string]struct {
		entries []any
		want    string
	}{
		"the newest":                  {[]any{entry("terraform", "05", "spec", ""), entry("awsmigrate", "01", "spec", ""), entry("kubectl", "03", "spec", "")}, "terraform"},
		"not of the status":           {[]any{entry("terraform", "05", "spec", ""), entry("rancher", "09", "status", "status")}, "terraform"},
		"not of annotations":          {[]any{entry("terraform", "05", "spec", ""), entry("rancher", "09", "metadata", "")}, "terraform"},
		"in the second of our edit":   {[]any{entry("awsmigrate", "05", "spec", ""), entry("terraform", "05", "spec", "")}, "terraform"},
		"the same, in another order":  {[]any{entry("terraform", "05", "spec", ""), entry("awsmigrate", "05", "spec", "")}, "terraform"},
		"another run of awsmigrate":   {[]any{entry("terraform", "04", "spec", ""), entry("awsmigrate", "05", "spec", "")}, "awsmigrate"},
		"without a time":              {[]any{entry("terraform", "", "spec", "")}, ""},
		"managedFields were cut away": {nil, ""},
	} {
		o := &unstructured.Unstructured{Object: map[string]any{"metadata": map[string]any{"managedFields": tt.entries}}}
		if got := LastWriter(o); got != tt.want {
			t.Errorf("%s: %q, want %q", name, got, tt.want)
		}
	}
}
