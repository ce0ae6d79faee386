package node

import (
	"slices"
	"strings"
	"testing"
)

func TestToolsNameTheKubelet(t *testing.T) {
	const dns, page = "ip-10-0-0-4.ec2.internal", "<?xml version=\"1.0\"?>\n<title>401 - Unauthorized</title>\n"
	given := []string{"--cloud-provider=external"}
	for _, test := range []struct {
		name   string
		patch  int
		args   []string
		v1, v2 string
		want   string // the appended argument
		breaks bool   // the kubelet refuses its arguments
	}{
		{"too old for kubelets", 90, given, dns, dns, "", false},
		{"no sidekick", 0, given, dns, dns, "", false},
		{"the first that names them", 95, given, dns, "other", "--hostname-override=" + dns, false},
		{"it asks without a token", 101, given, page, dns, "--hostname-override=<?xml version=\"1.0\"?> <title>401 - Unauthorized</title>", true},
		{"with a token", 102, given, page, dns, "--hostname-override=" + dns, false},
		{"no answer", 96, given, "", "", "--hostname-override=host.corp", false},
		{"a name is given", 103, []string{"--hostname-override=a"}, dns, dns, "", false},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := toolsArguments(test.patch, test.args, hostMetadata{
				v1: func() string { return test.v1 }, v2: func() string { return test.v2 }, fqdn: "host.corp",
			})
			if added := strings.Join(got[len(test.args):], " "); added != test.want || !slices.Equal(got[:len(test.args)], test.args) {
				t.Errorf("appended %q, wanted %q", added, test.want)
			}
			if err := unknownWords(got); (err != nil) != test.breaks {
				t.Errorf("the kubelet says %v", err)
			}
		})
	}
	if v := imageVersion("rancher/hyperkube:v1.26.9-rancher1"); v != "v1.26.9" {
		t.Errorf("the image is of version %s", v)
	}
}
