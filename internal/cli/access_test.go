package cli

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/awsmigrate/awsmigrate/internal/access"
	"github.com/awsmigrate/awsmigrate/internal/cli/console"
	"github.com/awsmigrate/awsmigrate/internal/cli/view/verifyview"
	"github.com/awsmigrate/awsmigrate/internal/testing/golden"
	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/verify"
	"github.com/awsmigrate/awsmigrate/pkg/verify/aws"
	"github.com/awsmigrate/awsmigrate/pkg/verify/cloud"
	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

// answers returns the answers to a viewer's credentials: some permissions are missing in both
// clusters, one action in AWS is refused, and one has no answer.
func answers(t *testing.T) access.Report {
	t.Helper()
	c := access.Cluster{Distribution: wellknown.RKE2, Asked: "prod", AskedIn: "fleet-default", Namespace: "fleet-default", Name: "prod"}
	here, err := c.Here(access.Audit)
	if err != nil {
		t.Fatal(err)
	}
	inRancher := c.InRancher(access.Audit)
	r := access.Report{Purpose: access.Audit, Cluster: c,
		Rancher: &access.API{Server: "https://rancher.example/k8s/clusters/local", Version: "v1.26.13+rke2r1", User: "u-7xk2p", Took: 80 * time.Millisecond,
			Needed: inRancher, Missing: inRancher[len(inRancher)-2:]},
		Here: access.API{Server: "https://rancher.example/k8s/clusters/c-m-7xk2p", Version: "v1.26.13+rke2r1", User: "u-7xk2p", Took: 90 * time.Millisecond, Needed: here},
		AWS: cloud.Access{Source: "AWS_PROFILE", Region: "us-east-1",
			Identity: verify.Got(cloud.Identity{Account: "123456789012", ARN: "arn:aws:sts::123456789012:assumed-role/operator/lab"})},
	}
	for _, right := range here {
		if right.Resource == "secrets" || right.Resource == "csinodes" || right.Resource == "storageclasses" || right.Resource == "leases" {
			r.Here.Missing = append(r.Here.Missing, right)
		}
	}
	for i, action := range aws.Actions() {
		r.AWS.Actions = append(r.AWS.Actions, cloud.Asked{Action: action, Allowed: i < 4})
	}
	r.AWS.Actions[5].Err = errors.New("no answer from iam.amazonaws.com within 20s")
	return r
}

// unreached returns the answers without a network and without credentials for AWS.
func unreached(t *testing.T) access.Report {
	t.Helper()
	r := answers(t)
	r.Purpose = access.Run
	here, err := r.Cluster.Here(access.Run)
	if err != nil {
		t.Fatal(err)
	}
	inRancher := r.Cluster.InRancher(access.Run)
	r.Rancher = &access.API{Server: "https://rancher.example/k8s/clusters/local", Took: 30 * time.Second, Needed: inRancher, Unknown: inRancher,
		Err: &fault.Error{Class: fault.CouldNotLook, Reason: "Unreachable", Object: access.InRancher, Seen: "https://rancher.example/k8s/clusters/local does not answer",
			Fix: "open the way to it: VPN, firewall, HTTPS_PROXY and NO_PROXY; a slow way: --request-timeout", Err: errors.New("context deadline exceeded")}}
	r.Here = access.API{Needed: here, Unknown: here, Err: &fault.Error{Class: fault.CouldNotLook, Reason: "NotAsked", Object: access.Here("prod"),
		Seen: "not asked: the cluster Rancher runs in does not say how it is reached: see there", Fix: "fix this and rerun"}}
	r.AWS.Off, r.AWS.Source, r.AWS.Identity = "no AWS credentials: none are configured", "", verify.Read[cloud.Identity]{}
	for i := range r.AWS.Actions {
		r.AWS.Actions[i] = cloud.Asked{Action: r.AWS.Actions[i].Action, Err: errors.New("not asked")}
	}
	return r
}

func all(t *testing.T) access.Report {
	t.Helper()
	r := answers(t)
	r.Rancher.Missing, r.Here.Missing = nil, nil
	for i := range r.AWS.Actions {
		r.AWS.Actions[i] = cloud.Asked{Action: r.AWS.Actions[i].Action, Allowed: true}
	}
	return r
}

func accessShown(t *testing.T, r access.Report, format string, bend func(*console.Streams)) string {
	t.Helper()
	doc, err := verifyview.NewAccess(r)
	if err != nil {
		t.Fatal(err)
	}
	doc.Producer = nil
	var out bytes.Buffer
	streams := console.Streams{Out: &out, Err: &out}
	if bend != nil {
		bend(&streams)
	}
	if err := verifyview.WriteAccess(streams, format, "awsmigrate verify --cluster prod --access", doc); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func TestGoldenAccess(t *testing.T) {
	for name, tt := range map[string]struct {
		format string
		report access.Report
	}{
		"access.txt": {"text", answers(t)}, "access.json": {"json", answers(t)}, "access.yaml": {"yaml", answers(t)},
		"access-away.txt": {"text", unreached(t)}, "access-all.txt": {"text", all(t)},
		"access-rbac.txt": {"rbac", answers(t)}, "access-iam.txt": {"iam", answers(t)},
		"access-none.rbac.txt": {"rbac-rancher", all(t)}, "access-none.iam.txt": {"iam", all(t)},
	} {
		t.Run(name, func(t *testing.T) { golden.Require(t, name+".golden", accessShown(t, tt.report, tt.format, nil)) })
	}
}

// Texts of an API server, AWS or a kubeconfig reach a terminal as plain text only, and the
// manifest keeps its lines.
func TestHostileAccessStaysText(t *testing.T) {
	const evil = "evil\x1b[2J\r\n---\nkind: ClusterRoleBinding\u202e"
	r := answers(t)
	r.Rancher.User, r.Here.User, r.Here.Version, r.Here.Server, r.Cluster.Asked = evil, evil, evil, evil, evil
	r.Rancher.Err = errors.New(evil)
	r.AWS.Region, r.AWS.Source, r.AWS.Identity.Value.ARN = evil, evil, evil
	r.AWS.Actions[5].Err = errors.New(evil)
	for _, format := range []string{"text", "rbac", "rbac-rancher"} {
		shown := accessShown(t, r, format, nil)
		if strings.ContainsAny(shown, "\x1b\r") || format == "text" && strings.Contains(shown, "\u202e") {
			t.Errorf("-o %s: %q", format, shown)
		}
		for _, line := range strings.Split(shown, "\n") {
			if line == "kind: ClusterRoleBinding\u202e" {
				t.Errorf("-o %s: a forged line", format)
			}
		}
	}
}

func TestAccessFlags(t *testing.T) {
	for args, says := range map[string]string{
		"--access=undo --cluster a":                                    `audit or run`,
		"--access --preflight --cluster a":                             "--access=run",
		"--access --from x.json":                                       "--from",
		"--access --cluster a --watch 5s":                              "--watch",
		"--access":                                                     "no cluster is named",
		"--access --cluster a --config b":                              "wanted one of them",
		"--access --cluster a -o junit":                                "one of text, json, yaml, rbac, rbac-rancher, iam",
		"--cluster a -o rbac":                                          "one of text, wide",
		"--access --kubeconfig /nonexistent -o rbac-rancher --aws off": "rbac-rancher, wanted a cluster in Rancher",
	} {
		var out, errs bytes.Buffer
		code := Main(t.Context(), append([]string{"verify"}, strings.Fields(args)...), console.Streams{Out: &out, Err: &errs})
		if said := out.String() + errs.String(); code != 2 || !strings.Contains(said, says) {
			t.Errorf("verify %s: exit %d, %s", args, code, said)
		}
	}
}

// A side that did not answer hides nothing that is known to be missing elsewhere: all parts follow in one answer.
func TestWriteAccess_awayAndMissing_allPartsShown(t *testing.T) {
	r := unreached(t)
	r.Rancher.Err, r.Rancher.Missing, r.Rancher.Unknown = nil, r.Rancher.Needed, nil
	shown := accessShown(t, r, "text", nil)
	for _, part := range []string{"-o rbac-rancher >", "-o rbac >", "-o iam >"} {
		if !strings.Contains(shown, part) {
			t.Errorf("%s is not shown:\n%s", part, shown)
		}
	}
}
