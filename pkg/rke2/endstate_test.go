package rke2

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/rke2/config"
)

func node(name, args string) corev1.Node {
	return corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name,
		Annotations: map[string]string{config.NodeArgsAnnotation: args},
		Labels:      map[string]string{"kubernetes.io/hostname": name}}}
}

func TestChooseEndState(t *testing.T) {
	named := node("a", `["server","--cloud-provider-name","aws","--node-name","a"]`)
	plain := node("b", `["server","--cloud-provider-name","aws"]`)
	other := node("c", `["agent","--node-name","not-c"]`)
	hostnamed := node("e", `["server","--cloud-provider-name","aws"]`)
	hostnamed.Labels["kubernetes.io/hostname"] = "e.internal"
	namedHostnamed := node("f", `["server","--node-name","f"]`)
	namedHostnamed.Labels["kubernetes.io/hostname"] = "f.internal"
	upper := node("g", `["agent"]`)
	upper.Labels["kubernetes.io/hostname"] = "G"
	tests := []struct {
		name   string
		wanted EndState
		nodes  []corev1.Node
		want   EndState
		reason string
	}{
		{"every node was named", EndAuto, []corev1.Node{named}, EndExternal, ""},
		{"no node was named, though label and name are equal", EndAuto, []corev1.Node{plain}, EndOverrides, ""},
		{"one node was not named", EndAuto, []corev1.Node{named, plain}, EndOverrides, ""},
		{"named otherwise", EndAuto, []corev1.Node{other}, EndOverrides, ""},
		{"unreadable arguments prove nothing", EndAuto, []corev1.Node{node("d", "{")}, EndOverrides, ""},
		{"no node at all proves nothing", EndAuto, nil, EndOverrides, ""},
		{"external with proof", EndExternal, []corev1.Node{named}, EndExternal, ""},
		{"external without proof", EndExternal, []corev1.Node{named, plain}, "", "NamesNotProven"},
		{"RKE2 overrides with another name", EndAuto, []corev1.Node{named, hostnamed}, "", "NamesNotProven"},
		{"RKE2 overrides with another name, overrides asked for", EndOverrides, []corev1.Node{hostnamed}, "", "NamesNotProven"},
		{"RKE2 overrides with another name, external asked for", EndExternal, []corev1.Node{hostnamed}, "", "NamesNotProven"},
		{"named, whatever the label says", EndAuto, []corev1.Node{namedHostnamed}, EndExternal, ""},
		{"named, but overrides would take the label's", EndOverrides, []corev1.Node{namedHostnamed}, "", "NamesNotProven"},
		{"a label in upper case is the same name", EndAuto, []corev1.Node{upper}, EndOverrides, ""},
		{"overrides when asked", EndOverrides, []corev1.Node{named}, EndOverrides, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := ChooseEndState(tt.wanted, tt.nodes)
			if f, ok := fault.As(err); (ok && f.Reason != tt.reason) || (!ok && tt.reason != "") {
				t.Fatalf("error %v, want reason %q", err, tt.reason)
			}
			if got.State != tt.want {
				t.Errorf("chose %q, want %q", got.State, tt.want)
			}
		})
	}
}
