package ccmchart

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/awsmigrate/awsmigrate/pkg/awsccm"
	"github.com/awsmigrate/awsmigrate/pkg/fault"
)

func TestConvertCloudConfig(t *testing.T) {
	in := "\ufeff; ours\n[global]\nzone=us-east-1a # primary\nDisableStrictZoneCheck = true\nDisableSecurityGroupIngress\n" +
		"VPC = \"vpc-1\"\nKubernetesClusterTag = long \\\n  tail\nRegion = us-east-1\nSourceARN = arn:aws:x\n" +
		"[Mystery \"1\"]\nKey = 1\n[ServiceOverride \"1\"]\nService = ec2\nURL = https://ec2.internal\nSecret = x\n"
	for _, c := range []struct {
		tag     string
		dropped []string
		without []string
		with    []string
	}{
		{
			"v1.26.14", []string{"global.Region (line 9)", "[Mystery] (line 11)", "ServiceOverride.Secret (line 16)"},
			[]string{"\nRegion", "Mystery", "Key = 1", "Secret"}, []string{"DisableStrictZoneCheck = true", "SourceARN", "long \\\n  tail", "zone=us-east-1a # primary", "URL = https://ec2.internal"},
		},
		{
			"v1.26.6", []string{"global.Region (line 9)", "global.SourceARN (line 10)", "[Mystery] (line 11)", "ServiceOverride.Secret (line 16)"},
			nil, []string{"DisableStrictZoneCheck"},
		},
		{
			"v1.27.10", []string{"global.DisableStrictZoneCheck (line 4)", "[Mystery] (line 11)", "ServiceOverride.Secret (line 16)"},
			[]string{"DisableStrictZoneCheck"}, []string{"\nRegion = us-east-1"},
		},
		{
			"mirror", []string{"global.DisableStrictZoneCheck (line 4)", "global.Region (line 9)", "global.SourceARN (line 10)", "[Mystery] (line 11)", "ServiceOverride.Secret (line 16)"},
			nil, []string{"VPC = \"vpc-1\"", "DisableSecurityGroupIngress\n"},
		},
	} {
		got, err := ConvertCloudConfig(in, awsccm.Image{Repository: "r", Tag: c.tag})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(c.dropped, got.Dropped); diff != "" {
			t.Errorf("%s: dropped\n%s", c.tag, diff)
		}
		for _, w := range c.with {
			if !strings.Contains(got.Text, w) {
				t.Errorf("%s lost %q:\n%s", c.tag, w, got.Text)
			}
		}
		for _, w := range c.without {
			if strings.Contains(got.Text, w) {
				t.Errorf("%s kept %q:\n%s", c.tag, w, got.Text)
			}
		}
	}
}

func TestConvertCloudConfig_knownKeys_kept(t *testing.T) {
	in := "[Global]\n\n# a comment\nZone = us-east-1a\n\n[ServiceOverride \"1\"]\nService=ec2\n"
	got, err := ConvertCloudConfig(in, awsccm.Image{Repository: "r", Tag: "v1.26.14"})
	if err != nil || got.Text != in || got.Dropped != nil || got.Added != nil {
		t.Errorf("%+v, %v", got, err)
	}
}

// An image with AWS SDK v2 finds endpoint overrides only under that SDK's names. An image
// without a version in its tag gets both.
func TestConvertCloudConfig_overrides_bothNames(t *testing.T) {
	in := "[ServiceOverride \"1\"]\nService=ec2\nRegion = r\nURL = \"https://a \\\"b\"\nSigningRegion = r # here\n" +
		"[serviceoverride \"2\"]\nService = elasticloadbalancing\nRegion=r\nURL=https://e\nSigningRegion=s\nSigningName=n\n" +
		"[ServiceOverride \"3\"]\nService = \"Elastic Load Balancing\"\nRegion=r\nURL=https://own\nSigningRegion=r\n"
	added := "[ServiceOverride \"EC2 r\"]\nService = \"EC2\"\nRegion = \"r\"\nURL = \"https://a \\\"b\"\nSigningRegion = \"r\"\nSigningName = \"ec2\"\n" +
		"[ServiceOverride \"Elastic Load Balancing v2 r\"]\nService = \"Elastic Load Balancing v2\"\nRegion = \"r\"\nURL = \"https://e\"\nSigningRegion = \"s\"\nSigningName = \"n\"\n"
	for tag, want := range map[string]string{"v1.28.11": in, "v1.29.8": in + added, "v1.29.9": in + added, "v1.35.2": in + added, "mirror": in + added} {
		got, err := ConvertCloudConfig(in, awsccm.Image{Repository: "r", Tag: tag})
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(want, got.Text); d != "" || (len(got.Added) == 2) != (want != in) {
			t.Errorf("%s: %v\n%s", tag, got.Added, d)
		}
		again, err := ConvertCloudConfig(got.Text, awsccm.Image{Repository: "r", Tag: tag})
		if err != nil || again.Text != got.Text || again.Added != nil {
			t.Errorf("%s: a second conversion adds %v, %v", tag, again.Added, err)
		}
	}
}

// A comment ends with its line, and a carriage return at the end of a line is ignored.
func TestConvertCloudConfig_commentsAndLineEnds(t *testing.T) {
	for in, want := range map[string]string{
		"\r":                                    "\n",
		"[Global]\n# ends in \\\nMystery = 1\n": "[Global]\n# ends in \\\n",
		"[Global]\nZone = a \\\r\n  # b\nX = 1\n": "[Global]\nZone = a \\\n  # b\n",
		"[Global]\r\r\nZone = a\r":                "[Global]\nZone = a\n",
	} {
		got, err := ConvertCloudConfig(in, awsccm.Image{Repository: "r", Tag: "v1.26.14"})
		if err != nil || got.Text != want {
			t.Errorf("%q: %q, %v; want %q", in, got.Text, err, want)
		}
	}
}

func TestConvertCloudConfig_invalid_error(t *testing.T) {
	for in, want := range map[string]string{
		"Zone = a\n":             "line 1",
		"[Global]\n= a\n":        "line 2",
		"[Global\nZone = a\n":    "line 1",
		"[]\n":                   "line 1",
		"[Global]\n\n\n= secret": "line 4",
	} {
		_, err := ConvertCloudConfig(in, awsccm.Image{Repository: "r", Tag: "v1.26.14"})
		f, ok := fault.As(err)
		if !ok || f.Class != fault.Check || !strings.Contains(f.Object, want) {
			t.Errorf("%q: %v", in, err)
		}
		if err != nil && strings.Contains(err.Error(), "secret") {
			t.Errorf("%q: the error shows a value: %v", in, err)
		}
	}
}

func FuzzConvertCloudConfig(f *testing.F) {
	f.Add("[Global]\nZone = a\\\n")
	f.Add("[ServiceOverride \"1\"]\nURL\n")
	f.Add("\r")
	f.Add("[Global]\nZone = a\\\r\r\nVPC = b\r")
	f.Fuzz(func(t *testing.T, in string) {
		img := awsccm.Image{Repository: "r", Tag: "v1.26.14"}
		once, err := ConvertCloudConfig(in, img)
		if err != nil {
			return
		}
		twice, err := ConvertCloudConfig(once.Text, img)
		if err != nil || twice.Text != once.Text || len(twice.Dropped) != 0 {
			t.Errorf("%q → %q → %q, %v, %v", in, once.Text, twice.Text, twice.Dropped, err)
		}
	})
}
