package rke

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/awsmigrate/awsmigrate/internal/testing/clustertest"
	"github.com/awsmigrate/awsmigrate/internal/testing/rketraps"
	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/rke/clusterfile"
	"github.com/awsmigrate/awsmigrate/pkg/rke/rkechecks"
	"github.com/awsmigrate/awsmigrate/pkg/rke/rkecli"
	"github.com/awsmigrate/awsmigrate/pkg/rke/rkestate"
	"github.com/awsmigrate/awsmigrate/pkg/verify"
	"github.com/awsmigrate/awsmigrate/pkg/verify/bundle"
	"github.com/awsmigrate/awsmigrate/pkg/verify/checks/evidence"
	"github.com/awsmigrate/awsmigrate/pkg/verify/downstream"
	"github.com/awsmigrate/awsmigrate/pkg/verify/position"
)

// through encodes a cluster in a bundle and decodes it. It returns the reports before and
// after.
func through(t *testing.T, p *rkechecks.Prepared) (live, again verify.Report, text string) {
	t.Helper()
	for i := range p.Down.Nodes {
		ready := "True"
		if i == 0 && p.RestErr != nil {
			ready = "False"
		}
		p.Down.Nodes[i].Ready = downstream.Condition{Status: ready}
	}
	in := p.Input
	if in.Position.Position == position.Unknown {
		in.Position.Position = position.P0
	}
	in.Nodes = verify.Got(p.Down.Nodes)
	p.Input = in
	if p.NameErr == nil {
		rketraps.Choose(p)
	}
	r := ReadingOf(p.Facts, p.Down, "")
	r.Down = p.Down
	p.Reading = r
	p.RestErr = r.RequireSettled()
	c := &Common{Options: optionsOf(p.Options)}
	redactor := bundle.NewRedactor()
	side, err := c.EncodeBundle(migration.Snapshot{Reading: r, Config: observed{Facts: p.Facts}}, false, redactor)
	if err != nil {
		t.Fatal(err)
	}
	whole, err := bundle.Encode(bundle.Bundle{Target: bundle.Target{Kind: "rke", Name: "demo"}, Side: side, Input: in}, redactor)
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
	o := verify.Options{Position: in.Position.Position}
	return verify.RunAll(t.Context(), verify.Bind(*p, rkechecks.All()...), o), verify.RunAll(t.Context(), bound, o), string(whole)
}

func optionsOf(o rkechecks.Options) Options {
	return Options{Cluster: o.Cluster, NoRKEUp: o.NoRKEUp, Options: migration.Options{KubernetesVersion: o.KubernetesVersion}}
}

func TestChecksFromBundle_trap_sameFinding(t *testing.T) {
	noticed := map[string]bool{}
	for _, tt := range rketraps.All() {
		t.Run(tt.ID+" "+tt.Name, func(t *testing.T) {
			p := rketraps.Sound(t)
			tt.Break(t, p)
			live, again, _ := through(t, p)
			was := map[string]verify.Result{}
			for _, res := range live.Results {
				was[res.ID] = res
			}
			for _, now := range again.Results {
				before := was[now.ID]
				if now.Status != before.Status || len(now.Findings) != len(before.Findings) {
					t.Errorf("%s was %s %+v, and is %s %+v", now.ID, before.Status, before.Findings, now.Status, now.Findings)
					continue
				}
				for i, f := range now.Findings {
					if f.Object != before.Findings[i].Object {
						t.Errorf("%s: was of %s, and is of %s", now.ID, before.Findings[i].Object, f.Object)
					}
				}
				byHand := tt.Name == "names not proven yet" || tt.Name == "not asked" // no reading results in these traps
				if now.ID == tt.ID && now.Status != tt.Want && !byHand {
					t.Errorf("%s is %s, want %s", tt.ID, now.Status, tt.Want)
				}
				noticed[now.ID] = noticed[now.ID] || now.ID == tt.ID && now.Status == verify.Fail
			}
		})
	}
	for id, found := range noticed {
		if !found && slices.Contains(failing(), id) {
			t.Errorf("no trap of %s is found in a bundle", id)
		}
	}
	if len(noticed) < 20 {
		t.Errorf("only %d checks are made anew", len(noticed))
	}
}

// failing returns the IDs of the checks with a trap that makes them fail.
func failing() []string {
	var ids []string
	for _, tt := range rketraps.All() {
		if tt.Want == verify.Fail {
			ids = append(ids, tt.ID)
		}
	}
	return ids
}

func TestEncodeBundle_secrets_redacted(t *testing.T) {
	const planted = "hunter-two-planted"
	p := rketraps.Sound(t)
	secret := map[string]string{"oidc-client": planted, "cloud-provider": "aws"}
	service := clusterfile.Service{Image: planted, ExtraArgs: secret, ExtraArgsArray: map[string][]string{"x": {planted}}, ExtraEnv: []string{planted},
		ExtraBinds: []string{planted}, WinExtraArgs: secret}
	c := &p.Config
	c.Services = clusterfile.Services{Etcd: service, KubeAPI: service, KubeController: service, Scheduler: service, Kubelet: service, Kubeproxy: service}
	c.CloudProvider.Custom, c.Addons, c.AddonsInclude, c.PrefixPath = planted, planted, []string{planted}, planted
	c.CloudProvider.AWS = &clusterfile.AWSCloudProvider{Global: clusterfile.AWSGlobal{RoleARN: planted, VPC: planted},
		ServiceOverride: map[string]clusterfile.AWSServiceOverride{planted: {URL: planted}}}
	c.Network.Options, c.Ingress.Options = secret, secret
	c.Nodes[0].User, c.Nodes[0].Labels = planted, secret
	state := &p.State.Current.Config
	state.CloudProvider.Custom, state.CloudProvider.AWS = planted, []byte(`{"global":{"roleArn":"`+planted+`"}}`)
	state.Services.KubeController.ExtraArgs, state.Services.KubeAPI.ExtraArgsArray = secret, map[string][]string{"x": {planted}}
	state.Services.KubeController.ExtraEnv, state.Services.KubeController.ExtraBinds = []string{planted}, []string{planted}
	p.State.Current.Tree, p.State.Desired.Tree = map[string]any{"x": planted}, map[string]any{"x": planted}
	p.State.Desired.Config = *state
	p.PinnedVolumes = verify.Failed[[]rkestate.PinnedVolume](errors.New("get with token=" + planted))
	p.Binary = verify.Failed[rkecli.Binary](errors.New("password: " + planted))
	_, again, text := through(t, p)
	if at := strings.Index(text, planted); at >= 0 {
		t.Errorf("a secret is in the bundle: %s", text[max(0, at-80):at+20])
	}
	if !strings.Contains(text, `"oidc-client": "REDACTED-`) {
		t.Error("the name of an argument is not in the bundle")
	}
	for _, res := range again.Results {
		if res.ID == "AWSM-751" && res.Status != verify.Fail {
			t.Errorf("%s is %s of arguments that beat the provider", res.ID, res.Status)
		}
	}
}

func TestChecksFromBundle_noNodes_unknown(t *testing.T) {
	bound, err := ChecksFromBundle([]byte(`{}`), evidence.Input{})
	if err != nil {
		t.Fatal(err)
	}
	for _, res := range verify.RunAll(t.Context(), bound, verify.Options{Position: position.P0}).Results {
		if res.Status != verify.Unknown {
			t.Errorf("%s is %s without Nodes", res.ID, res.Status)
		}
	}
	if _, err := ChecksFromBundle([]byte(`[]`), evidence.Input{}); err == nil {
		t.Error("a bundle that holds something else is taken")
	}
}

// A check of a dry run on the cluster cannot run on a bundle.
func TestAll_dryRunChecks_liveOnly(t *testing.T) {
	p := rketraps.Sound(t)
	p.NotPreviewed = migration.NotPreviewed
	tried := 0
	for _, c := range rkechecks.All() {
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
	bound, err := ChecksFromBundle([]byte(`{}`), evidence.Input{})
	if err != nil {
		t.Fatal(err)
	}
	clustertest.LeavesOutLiveOnly(t, bound, verify.Metas(rkechecks.All()...))
}

// A bundle shows that the in-tree provider has options, but not their values.
func TestRedactConfig_providerOptions_omitted(t *testing.T) {
	for given, want := range map[string]string{"": "", "null": "", "{}": "{}", `{"global":{"vpc":"vpc-1"}}`: "{}"} {
		var c rkestate.Config
		c.CloudProvider.AWS = json.RawMessage(given)
		if got := string(redactState(bundle.NewRedactor(), c).CloudProvider.AWS); got != want {
			t.Errorf("%q: %q, want %q", given, got, want)
		}
	}
}
