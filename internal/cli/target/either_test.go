package target

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/spf13/pflag"

	"github.com/awsmigrate/awsmigrate/internal/session"
	"github.com/awsmigrate/awsmigrate/pkg/verify/aws"
)

// askedBy returns the request of one kind's flags.
func askedBy(t *testing.T, register func(*pflag.FlagSet), flags Flags, words ...string) (Asked, error) {
	t.Helper()
	set := pflag.NewFlagSet("", pflag.ContinueOnError)
	register(set)
	if err := set.Parse(words); err != nil {
		t.Fatal(err)
	}
	return flags.Asked(Output{})
}

// A command without a distribution makes the same request as the distribution's own command.
func TestEitherAsksAsItsDistribution(t *testing.T) {
	t.Setenv("RKE_CONFIG", "")
	for name, words := range map[string][]string{
		"rke2": {"--cluster", "demo", "--aws", "off", "--kubeconfig", "k", "--context", "c", "--edits", "handoff", "--etcd-snapshot", "--end-state", "external", "--hand-over", "early", "--skip", "AWSM-421=no"},
		"rke":  {"--config", "cluster.yml", "--rke-arg", "--ssh-agent-auth", "--rke-arg", "x", "--aws", "off", "--include-pending", "--hand-over", "natural"},
	} {
		either, rke2, rke := &Either{}, &RKE2{}, &RKE{}
		got, err := askedBy(t, either.Register, either, words...)
		var want Asked
		var wantErr error
		if name == "rke2" {
			want, wantErr = askedBy(t, rke2.Register, rke2, words...)
		} else {
			want, wantErr = askedBy(t, rke.Register, rke, words...)
		}
		if err != nil || wantErr != nil {
			t.Fatal(name, err, wantErr)
		}
		if d := cmp.Diff(want.Target, got.Target, cmpopts.IgnoreFields(session.Target{}, "Server", "Downstream")); d != "" {
			t.Errorf("%s: %s", name, d)
		}
		if d := cmp.Diff(want.Options.Choices, got.Options.Choices, cmpopts.IgnoreTypes(aws.Identity{})); d != "" {
			t.Errorf("%s: %s", name, d)
		}
		if want.Words.Plan() != got.Words.Plan() || want.Unanswered != got.Unanswered {
			t.Errorf("%s: goes on with %q, wanted %q", name, got.Words.Plan(), want.Words.Plan())
		}
	}
}

func TestEitherNeedsOneCluster(t *testing.T) {
	t.Setenv("RKE_CONFIG", "")
	for want, words := range map[string][]string{
		"wanted --cluster NAME or --config cluster.yml": nil,
		"wanted one of them":                            {"--cluster", "demo", "--config", "cluster.yml"},
	} {
		either := &Either{}
		if _, err := askedBy(t, either.Register, either, words...); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", words, err)
		}
	}
}
