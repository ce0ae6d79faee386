package target

import (
	"strings"
	"testing"

	"github.com/spf13/pflag"

	"github.com/awsmigrate/awsmigrate/pkg/options"
)

// The name that list prints is accepted, and appears in next commands as it was typed.
func TestReach_namespaceAndName_nameTheCluster(t *testing.T) {
	for cluster, want := range map[string][4]string{
		"demo":               {"fleet-default", "demo", "awsmigrate rke2 --cluster demo", "awsmigrate rke --cluster demo"},
		"team/demo":          {"team", "demo", "awsmigrate rke2 --cluster team/demo", "awsmigrate rke --cluster team/demo"},
		"fleet-default/demo": {"fleet-default", "demo", "awsmigrate rke2 --cluster fleet-default/demo", "awsmigrate rke --cluster fleet-default/demo"},
		"c-m-rp75n57h":       {"fleet-default", "c-m-rp75n57h", "awsmigrate rke2 --cluster c-m-rp75n57h", "awsmigrate rke --cluster c-m-rp75n57h"},
	} {
		r := reach{Cluster: cluster, Namespace: "fleet-default"}
		got := [4]string{r.rke2().Namespace, r.rke2().Name, r.rke2Words().Run(), r.rkeWords().Run()}
		if got != want || r.rke().Name != want[1] {
			t.Errorf("%s: %q, RKE %q", cluster, got, r.rke().Name)
		}
	}
}

func TestCheckFlags_clusterNames_contradictionsRefused(t *testing.T) {
	for args, want := range map[string]string{
		"--cluster team/demo":                     "",
		"--cluster team/demo --namespace team":    "",
		"--cluster demo --namespace team":         "",
		"--cluster team/demo --namespace other":   `name the namespaces "team" and "other"`,
		"--cluster team/demo -n fleet-default":    `name the namespaces "team" and "fleet-default"`,
		"--cluster=":                              `invalid value ""`,
		"--cluster --yes":                         `invalid value "--yes"`,
		"--cluster a/b/c":                         `invalid value "a/b/c"`,
		"--cluster /demo":                         `invalid value "/demo"`,
		"--namespace team":                        "",
		"--cluster c-m-rp75n57h --namespace team": "",
	} {
		flags := pflag.NewFlagSet("rke2", pflag.ContinueOnError)
		Define(flags, options.RKE2)
		if err := flags.Parse(strings.Fields(args)); err != nil {
			t.Fatal(err)
		}
		err := CheckFlags(flags, options.RKE2)
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", args, err)
		}
	}
}
