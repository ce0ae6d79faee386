package edits

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/awsmigrate/awsmigrate/pkg/rke2/config"
)

func TestSelectsControlPlanes(t *testing.T) {
	in := func(key string, operator metav1.LabelSelectorOperator, values ...string) metav1.LabelSelectorRequirement {
		return metav1.LabelSelectorRequirement{Key: key, Operator: operator, Values: values}
	}
	for name, tt := range map[string]struct {
		labels      map[string]string
		expressions []metav1.LabelSelectorRequirement
		want        bool
	}{
		"its label":                  {map[string]string{config.LabelControlPlane: "true"}, nil, true},
		"its label, in a set":        {nil, []metav1.LabelSelectorRequirement{in(config.LabelControlPlane, metav1.LabelSelectorOpIn, "true")}, true},
		"nothing":                    {nil, nil, false},
		"its label is false":         {map[string]string{config.LabelControlPlane: "false"}, nil, false},
		"a set with false":           {nil, []metav1.LabelSelectorRequirement{in(config.LabelControlPlane, metav1.LabelSelectorOpIn, "false")}, false},
		"a set with another value":   {nil, []metav1.LabelSelectorRequirement{in(config.LabelControlPlane, metav1.LabelSelectorOpIn, "true", "false")}, false},
		"not in the set":             {nil, []metav1.LabelSelectorRequirement{in(config.LabelControlPlane, metav1.LabelSelectorOpNotIn, "true")}, false},
		"another role":               {map[string]string{config.LabelEtcd: "true"}, nil, false},
		"another role, in a set":     {nil, []metav1.LabelSelectorRequirement{in(config.LabelEtcd, metav1.LabelSelectorOpIn, "true")}, false},
		"two labels":                 {map[string]string{config.LabelControlPlane: "true", config.LabelEtcd: "true"}, nil, false},
		"a label and a set":          {map[string]string{config.LabelControlPlane: "true"}, []metav1.LabelSelectorRequirement{in("a", metav1.LabelSelectorOpExists)}, false},
		"the same label in two sets": {nil, []metav1.LabelSelectorRequirement{in(config.LabelControlPlane, metav1.LabelSelectorOpIn, "true"), in("a", metav1.LabelSelectorOpExists)}, false},
	} {
		if got := selectsControlPlanes(&metav1.LabelSelector{MatchLabels: tt.labels, MatchExpressions: tt.expressions}); got != tt.want {
			t.Errorf("%s: %t", name, got)
		}
	}
	if selectsControlPlanes(nil) {
		t.Error("an entry without a selector is for all machines")
	}
}
