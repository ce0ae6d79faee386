package rke2checks

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/awsmigrate/awsmigrate/internal/testing/clustertest"
	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/rke2/config"
	"github.com/awsmigrate/awsmigrate/pkg/verify"
	"github.com/awsmigrate/awsmigrate/pkg/verify/bundle"
	"github.com/awsmigrate/awsmigrate/pkg/verify/checks/evidence"
	"github.com/awsmigrate/awsmigrate/pkg/verify/downstream"
	"github.com/awsmigrate/awsmigrate/pkg/verify/position"
	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

// inputOf returns the evidence of a bundle about the same cluster.
func inputOf(p *Prepared) evidence.Input {
	var in evidence.Input
	in.Position = position.Result{Position: position.P0}
	var nodes []downstream.Node
	for _, n := range p.Down.Nodes {
		nodes = append(nodes, downstream.Node{Name: n.Name, Labels: n.Labels, Annotations: n.Annotations, Ready: downstream.Condition{Status: "True"}})
	}
	var pods []downstream.Pod
	for _, k := range p.KCMs {
		for _, m := range p.Machines {
			if m.Name == k.Member {
				pods = append(pods, downstream.Pod{Namespace: wellknown.System, Name: "kube-controller-manager-" + m.NodeName, Node: m.NodeName, Mirror: true, Ready: true,
					Containers: []downstream.Container{{Name: "kube-controller-manager", Args: []string{"--cloud-provider=" + k.Provider()}}}})
			}
		}
	}
	in.Nodes, in.StaticPods = verify.Got(nodes), verify.Got(pods)
	return in
}

// through encodes a cluster in a bundle and decodes it. It returns the reports before and
// after.
func through(t *testing.T, p *Prepared) (live, again verify.Report, text string) {
	t.Helper()
	in := inputOf(p)
	r := p.Combine(in.Cluster())
	options := Options{EndState: EndAuto}
	direct := Prepare(p.Facts, r, migration.Prepared{RestErr: r.RequireSettled(), NotPreviewed: migration.NotPreviewed}, options, false)
	redactor := bundle.NewRedactor()
	side, err := EncodeBundle(p.Facts, r, options, false, redactor)
	if err != nil {
		t.Fatal(err)
	}
	whole, err := bundle.Encode(bundle.Bundle{Target: bundle.Target{Kind: "rke2", Name: "demo"}, Side: side, Input: in}, redactor)
	if err != nil {
		t.Fatal(err)
	}
	b, err := bundle.Decode("file x", whole)
	if err != nil {
		t.Fatal(err)
	}
	bound, err := ChecksFromBundle(b.Side, b.Input)
	if err != nil {
		t.Fatal(err)
	}
	o := verify.Options{Position: position.P0, Skip: map[string]string{"AWSM-117": "tried live"}}
	return verify.RunAll(t.Context(), verify.Bind(direct, All()...), o), verify.RunAll(t.Context(), bound, o), string(whole)
}

func TestChecksFromBundle_trap_sameFinding(t *testing.T) {
	noticed := 0
	for _, tt := range append(checkTraps(), trap{"AWSM-111", "a value that no check reads", func(p *Prepared) {
		p.Cluster.Spec.Global["kubelet-arg"] = []any{"max-pods=250"}
		for i := range p.Down.Nodes {
			p.Down.Nodes[i].Annotations[config.NodeArgsAnnotation] = `["agent","--cloud-provider-name","aws","--kubelet-arg","max-pods=110"]`
		}
	}, verify.Fail, ""}) {
		t.Run(tt.id+" "+tt.name, func(t *testing.T) {
			p := sound()
			tt.breaks(p)
			live, again, _ := through(t, p)
			for _, was := range live.Results {
				if was.ID == "AWSM-117" || was.ID == "AWSM-118" {
					continue
				}
				now := result(again, was.ID)
				if now.Status != was.Status || len(now.Findings) != len(was.Findings) {
					t.Errorf("%s was %s %+v, and is %s %+v", was.ID, was.Status, was.Findings, now.Status, now.Findings)
				}
				for i := range min(len(now.Findings), len(was.Findings)) {
					if diff := cmp.Diff(was.Findings[i].Object, now.Findings[i].Object); diff != "" {
						t.Errorf("%s: %s", was.ID, diff)
					}
				}
			}
			if result(again, tt.id).Status == tt.want {
				noticed++
			}
		})
	}
	if noticed < 20 {
		t.Errorf("only %d traps are found in a bundle", noticed)
	}
}

func result(r verify.Report, id string) verify.Result {
	for _, res := range r.Results {
		if res.ID == id {
			return res
		}
	}
	return verify.Result{}
}

func TestEncodeBundle_secrets_redacted(t *testing.T) {
	const planted = "hunter-two-planted"
	p := sound()
	p.Cluster.Spec.Mirrors = []config.Mirror{{Of: "docker.io", Endpoints: []string{"https://robot:" + planted + "@harbor.local"}}}
	config := map[string]any{
		"cloud-provider-name": "aws", "etcd-arg": []any{planted}, "kubelet-arg": []any{"whatever=" + planted}, "kube-apiserver-arg": "oidc-x=" + planted,
		"cloud-provider-config": "[Global]\nKey=" + planted, "tls-san": []any{planted}, "nested": map[string]any{"a": planted},
	}
	p.Cluster.Spec.Global = config
	p.Cluster.Spec.AdditionalManifest = planted
	p.Cluster.Annotations = map[string]string{"note": planted, "argocd.argoproj.io/tracking-id": planted}
	p.Cluster.Labels = map[string]string{"note": planted}
	p.ControlPlane.Spec = map[string]any{
		"machineGlobalConfig": config, "additionalManifest": planted, "registries": map[string]any{"password": planted},
		"machineSelectorConfig": []any{map[string]any{"config": config, "stray": planted, "machineLabelSelector": map[string]any{"matchLabels": map[string]any{"role": "cp"}}}},
	}
	p.ControlPlane.AppliedSpec = p.ControlPlane.Spec
	p.Rancher = verify.Failed[string](errors.New("get with token=" + planted))
	_, again, text := through(t, p)
	if at := strings.Index(text, planted); at >= 0 {
		t.Errorf("a secret is in the bundle: %s", text[max(0, at-80):at+20])
	}
	for _, kept := range []string{`"cloud-provider-name": "aws"`, `"role": "cp"`, "argocd.argoproj.io/tracking-id", "whatever=REDACTED-"} {
		if !strings.Contains(text, kept) {
			t.Errorf("%s, which checks judge, is not in the bundle", kept)
		}
	}
	if got := result(again, "AWSM-106").Status; got != verify.Warn {
		t.Errorf("AWSM-106 is %s of a Cluster that Argo CD keeps", got)
	}
	before, err := json.Marshal(config["tls-san"])
	if err != nil || !strings.Contains(string(before), planted) {
		t.Errorf("the reading itself was changed: %s, %v", before, err)
	}
}

func TestChecksFromBundle_noNodes_unknown(t *testing.T) {
	bound, err := ChecksFromBundle([]byte(`{"facts":{}}`), evidence.Input{})
	if err != nil {
		t.Fatal(err)
	}
	for _, res := range verify.RunAll(t.Context(), bound, verify.Options{Position: position.P0}).Results {
		if res.Status != verify.Unknown && !res.OtherPosition {
			t.Errorf("%s is %s without Nodes", res.ID, res.Status)
		}
	}
	if _, err := ChecksFromBundle([]byte(`[]`), evidence.Input{}); err == nil {
		t.Error("a bundle that holds something else is taken")
	}
}

// A check of a dry run on the cluster cannot run on a bundle.
func TestAll_dryRunChecks_liveOnly(t *testing.T) {
	p := sound()
	p.NotPreviewed = migration.NotPreviewed
	tried := 0
	for _, c := range All() {
		found := c.Judge(*p)
		if len(found) != 1 || found[0].Reason != migration.NotPreviewed {
			continue
		}
		tried++
		if !c.LiveOnly {
			t.Errorf("%s judges a dry run but is not LiveOnly", c.ID)
		}
	}
	if tried != 2 {
		t.Errorf("%d checks judge a dry run, want the chart and its values", tried)
	}
}

func TestChecksFromBundle_liveOnly_omitted(t *testing.T) {
	bound, err := ChecksFromBundle([]byte(`{"facts":{}}`), evidence.Input{})
	if err != nil {
		t.Fatal(err)
	}
	clustertest.LeavesOutLiveOnly(t, bound, verify.Metas(All()...))
}
