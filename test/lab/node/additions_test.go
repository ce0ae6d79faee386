package node

import (
	"slices"
	"strings"
	"testing"
	"time"
)

func TestLocalize(t *testing.T) {
	l := local{
		Root: "/lab/fs", IP: "127.9.1.10", EtcdServers: "http://e:2379", EtcdPrefix: "/x", TokenFile: "/lab/tokens",
		AuditLog: "/lab/a.log", AuditPolicy: "/lab/p.yaml", CloudConfig: "/lab/cloud", IMDSURL: "http://imds", Kubeconfig: "/lab/kc", WebhookIP: "127.9.1.10",
		Leases: LeaseTiming{Duration: 6 * time.Second, RetryPeriod: time.Second},
	}
	for _, test := range []struct {
		component string
		given     []string
		last      map[string]string
		env       string
	}{
		{KubeAPIServer, []string{"--etcd-servers=https://127.0.0.1:2379", "--etcd-cafile=/x", "--tls-cert-file=/var/lib/rancher/rke2/server/tls/x.crt", "--admission-control-config-file=/etc/rancher/rke2/p.yaml"},
			map[string]string{"etcd-servers": "http://e:2379", "etcd-prefix": "/x", "bind-address": "127.9.1.10",
				"tls-cert-file": "/lab/fs/var/lib/rancher/rke2/server/tls/x.crt", "admission-control-config-file": "/lab/fs/etc/rancher/rke2/p.yaml",
				"token-auth-file": "/lab/tokens", "audit-log-path": "/lab/a.log"}, ""},
		{KubeControllerManager, []string{"--cloud-config=", "--leader-elect-retry-period=3s", "--flex-volume-plugin-dir=/var/lib/kubelet/volumeplugins"},
			map[string]string{"cloud-config": "/lab/cloud", "leader-elect-lease-duration": "6s", "leader-elect-retry-period": "3s",
				"flex-volume-plugin-dir": "/lab/fs/var/lib/kubelet/volumeplugins"}, "AWS_EC2_METADATA_SERVICE_ENDPOINT=http://imds"},
		{KubeScheduler, []string{"--bind-address=127.0.0.1"}, map[string]string{"bind-address": "127.9.1.10"}, ""},
		{awsCCM, []string{"--kubeconfig=/mine"}, map[string]string{"kubeconfig": "/mine", "authentication-kubeconfig": "/lab/kc", "bind-address": "127.9.1.10"},
			"AWS_EC2_METADATA_SERVICE_ENDPOINT=http://imds"},
		{awsCCM, nil, map[string]string{"webhook-bind-address": "127.9.1.10"}, ""},
		{"klipper-helm", []string{"install"}, map[string]string{}, ""},
	} {
		t.Run(test.component, func(t *testing.T) {
			args, env := localize(test.component, test.given, l)
			for flag, want := range test.last {
				if got, ok := lastFlag(args, flag); !ok || got != want {
					t.Errorf("--%s=%q (set %t), wanted %q\n%v", flag, got, ok, want, args)
				}
			}
			for _, argument := range args {
				if strings.HasPrefix(argument, "--etcd-servers=https") || strings.HasPrefix(argument, "--etcd-cafile") {
					t.Errorf("%s is left: etcd's address collects values", argument)
				}
			}
			if test.env != "" && !slices.Contains(env, test.env) {
				t.Errorf("environment %v lacks %s", env, test.env)
			}
			if len(test.last) == 0 && (len(args) != len(test.given) || len(env) != 0) {
				t.Errorf("something was added: %v %v", args, env)
			}
		})
	}
	if args, _ := localize(awsCCM, nil, local{Root: "/r", IP: "127.0.0.1"}); slices.ContainsFunc(args, func(s string) bool { return strings.Contains(s, "webhook") }) {
		t.Errorf("a program without webhooks does not know the flag: %v", args)
	}
	if args, _ := localize(KubeControllerManager, nil, local{Root: "/r", IP: "127.0.0.1"}); slices.ContainsFunc(args, func(s string) bool {
		return strings.Contains(s, "leader-elect") || strings.Contains(s, "cloud-config")
	}) {
		t.Errorf("without short leases and cloud: %v", args)
	}
}

func TestAdditionsSayWhy(t *testing.T) {
	for _, a := range Additions() {
		if a.Component == "" || a.Flag == "" || a.Why == "" {
			t.Errorf("incomplete addition %+v", a)
		}
	}
}

func TestCloudConfigPassesThrough(t *testing.T) {
	const user = "[Global]\nZone=us-east-1a\nNoSuchKey=1\n; a comment\n"
	got := withEndpoint(user, "us-east-1", "http://127.0.0.1:1/as/kcm/")
	if !strings.HasPrefix(got, user) {
		t.Errorf("the user's text changed:\n%s", got)
	}
	for _, want := range []string{"Service=ec2\n", "Service=elasticloadbalancing\n", "SigningRegion=us-east-1\n", "URL=http://127.0.0.1:1/as/kcm/\n"} {
		if !strings.Contains(got, want) {
			t.Errorf("lacks %q:\n%s", want, got)
		}
	}
	own := "[ServiceOverride \"1\"]\nService = ec2\nRegion=us-east-1\nURL=https://ec2.example\nSigningRegion=us-east-1\n[Global]\nVPC=v\n"
	got = withEndpoint(own, "us-east-1", "http://x/")
	if strings.Count(got, "ec2") != 1 || !strings.Contains(got, "URL=http://x/\nSigningRegion") || !strings.Contains(got, "[Global]\nVPC=v\n") {
		t.Errorf("a user's own override:\n%s", got)
	}
}
