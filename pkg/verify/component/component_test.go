package component

import (
	"maps"
	"strings"
	"testing"
	"time"
)

func TestParse(t *testing.T) {
	cases := []struct {
		name  string
		words []string
		flag  string
		want  string
	}{
		{"last wins", []string{"--cloud-provider=aws", "--v=2", "--cloud-provider=external"}, "cloud-provider", "external"},
		{"last wins the other way", []string{"--cloud-provider=external", "--cloud-provider=aws"}, "cloud-provider", "aws"},
		{"separate word", []string{"--cloud-provider", "external"}, "cloud-provider", "external"},
		{"bare boolean", []string{"--enable-leader-migration", "--v=2"}, "enable-leader-migration", "true"},
		{"bare boolean before a stray word", []string{"--enable-leader-migration", "false"}, "enable-leader-migration", "true"},
		{"underscores", []string{"--cloud_provider=aws"}, "cloud-provider", "aws"},
		{"value with equals sign", []string{"--feature-gates=A=true,B=false"}, "feature-gates", "A=true,B=false"},
		{"absent", []string{"kube-controller-manager"}, "cloud-provider", ""},
		{"one dash is no flag", []string{"-cloud-provider=aws"}, "cloud-provider", ""},
		{"shell script", []string{"sh", "-c", "exec kube-controller-manager --cloud-provider=aws\n --v=2"}, "cloud-provider", "aws"},
		{"empty value", []string{"--cloud-provider="}, "cloud-provider", ""},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			if got := Parse(tc.words).Last(tc.flag); got != tc.want {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
}

func TestBool(t *testing.T) {
	a := Parse([]string{"--enable-leader-migration=true", "--enable-leader-migration=false", "--leader-elect=$(ELECT)"})
	if got, err := a.Bool(EnableLeaderMigration, true); got || err != nil {
		t.Errorf("got %v, %v", got, err)
	}
	if got, err := a.Bool("absent", true); !got || err != nil {
		t.Errorf("got %v, %v", got, err)
	}
	if _, err := a.Bool("leader-elect", true); err == nil || !strings.Contains(err.Error(), "$(ELECT)") {
		t.Errorf("error %v", err)
	}
}

func TestGates(t *testing.T) {
	a := Parse([]string{"--feature-gates=A=true, B=true", "--feature-gates=B=false,C"})
	if got := a.Gates(); !maps.Equal(got, map[string]bool{"A": true, "B": false}) {
		t.Errorf("got %v", got)
	}
}

func TestElection(t *testing.T) {
	e, err := Parse(nil).Election()
	if err != nil || !e.Enabled || e.LeaseDuration != 15*time.Second || e.RenewDeadline != 10*time.Second || e.RetryPeriod != 2*time.Second || e.Namespace != "kube-system" || e.Lock != "leases" {
		t.Errorf("defaults %+v, %v", e, err)
	}
	e, err = Parse([]string{"--leader-elect=false", "--leader-elect-lease-duration=60s", "--leader-elect-resource-namespace=other"}).Election()
	if err != nil || e.Enabled || e.LeaseDuration != time.Minute || e.Namespace != "other" {
		t.Errorf("got %+v, %v", e, err)
	}
	if _, err = Parse([]string{"--leader-elect-lease-duration=60"}).Election(); err == nil {
		t.Error("60 is no duration")
	}
}

func TestGap_defaults_13sTo23800ms(t *testing.T) {
	shortest, longest := Election{LeaseDuration: 15 * time.Second, RetryPeriod: 2 * time.Second}.Gap()
	if shortest != 13*time.Second || longest != 23800*time.Millisecond {
		t.Errorf("gap %s to %s, want 13s to 23.8s", shortest, longest)
	}
}

func TestVersion_parseAndCompare(t *testing.T) {
	for in, want := range map[string]string{"v1.26.13+rke2r1": "1.26.13", "1.26": "1.26.0", "v1.25.14-rancher1-1": "1.25.14"} {
		if v, err := ParseVersion(in); err != nil || v.String() != want {
			t.Errorf("%s: %s, %v", in, v, err)
		}
	}
	if _, err := ParseVersion("v0.0.0-master+$Format:%H$"); err == nil {
		t.Error("a binary without version was read as one")
	}
	for in, want := range map[string]string{
		"registry.k8s.io/provider-aws/cloud-controller-manager:v1.26.14": "1.26.14",
		"localhost:5000/ccm:v1.28.1@sha256:0123":                         "1.28.1",
		"localhost:5000/ccm":                                             "",
		"ccm@sha256:0123":                                                "",
		"ccm:latest":                                                     "",
		"ccm":                                                            "",
	} {
		v, err := ImageVersion(in)
		if (err != nil) != (want == "") || want != "" && v.String() != want {
			t.Errorf("%s: %s, %v", in, v, err)
		}
	}
	if (Version{}).Known() || !(Version{1, 28, 0}).AtLeast(1, 28) || (Version{1, 27, 9}).AtLeast(1, 28) {
		t.Error("comparison")
	}
}
