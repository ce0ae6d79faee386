package rke2checks

import (
	_ "embed"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/awsmigrate/awsmigrate/pkg/rke2/config"
	"github.com/awsmigrate/awsmigrate/pkg/verify"
	"github.com/awsmigrate/awsmigrate/pkg/verify/component"
)

// releaseFacts holds the properties of every RKE2 release, read from its source by
// `components releases`. The checks do not use them.
//
//go:embed testdata/releases.txt
var releaseFacts string

// endConfig describes the end state of a migration, with one addition of the user.
type endConfig struct{ provider, addition string }

// addTo changes a cluster with the end state overrides.
func (c endConfig) addTo(p *Prepared) {
	g := p.Cluster.Spec.Global
	if c.provider == "external" {
		delete(g, config.KeyKubeletArg)
		delete(g, config.KeyManagerArg)
		g[config.KeyProvider] = c.provider
	}
	switch c.addition {
	case "node-name":
		n := &p.Down.Nodes[3]
		n.Name, n.Labels[corev1.LabelHostname] = "worker-1", "worker-1"
		n.Annotations[config.NodeArgsAnnotation] = `["agent","--node-name","worker-1"]`
	case "AllBeta":
		g[config.KeyAPIServerArg] = []any{"feature-gates=AllBeta=false"}
	case "cis-1.23":
		g[config.KeyProfile] = c.addition
	case "PSACT":
		g[config.KeyAPIServerArg] = []any{"admission-control-config-file=/etc/rancher/rke2/config/rancher-psact.yaml"}
	case "no disable-cloud-controller":
		delete(g, config.KeyDisableCCM)
	}
}

const renames = "a Node changes its name"

// harm returns what a release does to a configuration, or "". Rules of kube-apiserver are those
// of component.RefusedProvider, which the verdicts of its own parser hold.
func (c endConfig) harm(minor int, facts []string) string {
	has := func(fact string) bool { return slices.Contains(facts, fact) }
	given := has("gives-apiserver-the-provider") && (c.provider != "aws" || !has("drops-aws"))
	validates := given && minor >= 29 && minor <= 32
	switch {
	case validates && c.provider == "aws", validates && c.addition == "AllBeta" && minor <= 30:
		return "kube-apiserver exits"
	case c.addition == "cis-1.23" && (!has("takes-cis-1.23") || has("exits-at-cis-1.23")):
		return "RKE2 exits"
	case c.provider == "aws" && has("drops-aws") && c.addition == "node-name":
		return renames
	case c.addition == "no disable-cloud-controller" && !has("own-controller-off-by-provider"):
		return "a second cloud controller"
	}
	return ""
}

// Every release starts what a migration leaves behind, with the same names and one cloud
// controller, or the upgrade is refused and verify warns.
func TestRefuseTarget_everyRelease_startsOrRefused(t *testing.T) {
	count, refused := 0, 0
	for line := range strings.Lines(releaseFacts) {
		words := strings.Fields(line)
		v, err := component.ParseVersion(words[0])
		if err != nil {
			continue // the header
		}
		for _, provider := range []string{"aws", "external"} {
			for _, addition := range []string{"", "node-name", "AllBeta", "cis-1.23", "PSACT", "no disable-cloud-controller"} {
				c := endConfig{provider, addition}
				harm := c.harm(v.Minor, words[1:])
				p := migrated("v1.26.15+rke2r1", words[0])
				c.addTo(p)
				err := RefuseTarget(p.Facts, "", p.Down.Nodes, words[0])
				if (err != nil) != (harm != "") {
					t.Errorf("%s %+v: %v, want a refusal for %q", words[0], c, err, harm)
				}
				if count++; harm == "" {
					continue
				}
				refused++
				now, want := words[0], verify.Fail
				if harm == renames { // verify warns before that release; after it the Node has the new name
					now, want = "v1.27.16+rke2r1", verify.Warn
				}
				p = migrated(now, "")
				c.addTo(p)
				if status := worstRelease(t, p); status != want {
					t.Errorf("%s %+v: verify says %s, although %s", now, c, status, harm)
				}
			}
		}
	}
	if count != 12*154 || refused == 0 {
		t.Errorf("%d configurations, %d refused", count, refused)
	}
}

// worstRelease returns the worst verdict of the checks of a release.
func worstRelease(t *testing.T, p *Prepared) verify.Status {
	t.Helper()
	worst := verify.OK
	for _, r := range verify.RunAll(t.Context(), verify.Bind(*p, All()...), verify.Options{Position: p.Stands, Only: []string{"AWSM-122", "AWSM-123", "AWSM-124", "AWSM-125", "AWSM-126"}}).Results {
		if r.Status == verify.Fail || r.Status == verify.Warn && worst != verify.Fail {
			worst = r.Status
		}
	}
	return worst
}
