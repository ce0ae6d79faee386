package checks

import (
	"strings"
	"testing"

	"github.com/awsmigrate/awsmigrate/pkg/verify"
	"github.com/awsmigrate/awsmigrate/pkg/verify/checks/evidence"
	"github.com/awsmigrate/awsmigrate/pkg/verify/downstream"
	"github.com/awsmigrate/awsmigrate/pkg/verify/position"
)

// provisioned is one way to give kubelets credentials for ECR, as far as APIs and configuration
// show it, with the source of the rule.
type provisioned struct {
	way, source string
	args        string // of annotation rke2.io/node-args, or empty without the annotation
	configured  *evidence.CredentialProvider
	secrets     bool // the pods have imagePullSecrets
	image       string
	want        verify.Status
	says        string
}

// waysToBeProvisioned returns ways of RKE2 first, then of RKE, then ways without a kubelet.
func waysToBeProvisioned() []provisioned {
	const (
		k3s     = "k3s-io/k3s:pkg/daemons/agent/agent.go@v1.26.15+k3s1, ImageCredProvAvailable"
		runtime = "kubernetes/kubernetes:pkg/kubelet/kuberuntime/kuberuntime_manager.go@v1.26.13, line 258"
		plugin  = "kubernetes/kubernetes:pkg/credentialprovider/plugin/plugin.go@v1.26.13, RegisterCredentialProviderPlugins"
		rke     = "rancher/rke:cluster/plan.go@v1.5.9, BuildKubeletProcess"
		filter  = "rancher/rancher:pkg/capr/planner/filter.go@v2.8.5; rancher/kontainer-driver-metadata:channels-rke2.yaml@7c2ba528"
		aws     = "kubernetes/kubernetes:pkg/credentialprovider/aws/aws_credentials.go@v1.26.13, line 44"
		account = "kubernetes/kubernetes:plugin/pkg/admission/serviceaccount/admission.go@v1.26.13, Admit"
		token   = "rancher/rke:util/ecr.go@v1.5.9, ECRCredentialPlugin"
	)
	proven, missing, unseen := verify.OK, verify.Fail, verify.Unknown
	own := "123456789012.dkr.ecr.eu-west-1.amazonaws.com/web:1"
	return []provisioned{
		{"RKE2: kubelet-arg", runtime, `["agent","--kubelet-arg","image-credential-provider-config=/etc/ecr.yaml"]`, nil, false, own, proven, ""},
		{"RKE2: kubelet-arg with dashes, from config.yaml.d", runtime, `["agent","--kubelet-arg=--image_credential_provider_config=/etc/ecr.yaml"]`, nil, false, own, proven, ""},
		{"RKE2: kubelet-arg, cleared", runtime, `["agent","--kubelet-arg=image-credential-provider-config="]`, nil, false, own, unseen, ""},
		{"RKE2: its own key on the machine", k3s, `["agent","--image-credential-provider-config","/etc/ecr.yaml"]`, nil, false, own, unseen, "ignores its key"},
		{"RKE2: its default folder, or none", k3s, `["agent"]`, nil, false, own, unseen, ""},
		{"RKE2: its own key in Rancher, dropped", filter, `["agent"]`, &evidence.CredentialProvider{Unseen: "Rancher drops the key"}, false, own, unseen, "Rancher drops the key"},
		{"RKE2: its own key in Rancher, and kubelet-arg", filter, `["agent","--kubelet-arg=image-credential-provider-config=/etc/ecr.yaml"]`, &evidence.CredentialProvider{Unseen: "Rancher drops the key"}, false, own, proven, ""},
		{"RKE2: arguments that cannot be read", k3s, "{", nil, false, own, unseen, ""},
		{"RKE: extra_args", rke, "", &evidence.CredentialProvider{Config: "/etc/kubernetes/ecr.yaml"}, false, own, proven, ""},
		{"RKE: extra_args without the folder", plugin, "", &evidence.CredentialProvider{Config: "/etc/kubernetes/ecr.yaml", Missing: "a kubelet exits"}, false, own, missing, "a kubelet exits"},
		{"RKE: extra_args without extra_binds", rke, "", &evidence.CredentialProvider{Config: "/srv/ecr.yaml", Unseen: "no mount"}, false, own, unseen, "no mount"},
		{"RKE: ecr_credential_plugin alone", token, "", &evidence.CredentialProvider{}, false, own, missing, "no image-credential-provider-config"},
		{"RKE: none", rke, "", &evidence.CredentialProvider{}, false, own, missing, "web/api"},
		{"another cluster, of its API alone", runtime, "", nil, false, own, unseen, ""},
		{"pull secrets of the template or the ServiceAccount", account, "", &evidence.CredentialProvider{}, true, own, verify.Warn, "content is not read"},
		{"a mirror", aws, "", &evidence.CredentialProvider{}, false, "mirror.local/web:1", proven, ""},
		{"ECR Public", aws, "", &evidence.CredentialProvider{}, false, "public.ecr.aws/web:1", proven, ""},
	}
}

func TestECR_everyWay(t *testing.T) {
	for _, c := range waysToBeProvisioned() {
		t.Run(c.way, func(t *testing.T) {
			in := healthy(t, position.P4)
			in.CredentialProvider, in.Target = c.configured, "v1.27.16"
			in.Workloads = verify.Got([]downstream.Workload{{Object: downstream.Object{Kind: "Deployment", Namespace: "web", Name: "api"}, ECR: downstream.OnECR(c.image), PullSecrets: c.secrets}})
			for i := range in.Nodes.Value {
				n := node(&in, i)
				if n.Annotations[downstream.AnnotationArgs] = c.args; c.args == "" {
					delete(n.Annotations, downstream.AnnotationArgs)
				}
			}
			found := ecr(in)
			if got := worst(found); got != c.want || c.source == "" {
				t.Errorf("%s, want %s by %s: %+v", got, c.want, c.source, found)
			}
			for _, f := range found {
				if text := f.Seen + f.Reason; !strings.Contains(text, c.says) || f.Status == verify.Unknown && f.Fix == "" {
					t.Errorf("says %q, want %q in it, and a fix: %+v", text, c.says, f)
				}
				if strings.Contains(f.Object, nodeName(0)) {
					t.Errorf("a control plane runs no such pod: %+v", f)
				}
			}
		})
	}
}

func worst(found []verify.Finding) verify.Status {
	for _, s := range []verify.Status{verify.Fail, verify.Unknown, verify.Warn} {
		for _, f := range found {
			if f.Status == s {
				return s
			}
		}
	}
	return verify.OK
}

// An image that only a Node names has pods that come and go.
func TestECR_imageOnNode(t *testing.T) {
	for _, c := range []struct {
		name      string
		images    int
		workloads verify.Read[[]downstream.Workload]
		target    string
		at        position.Position
		want      verify.Status
	}{
		{"no pods now", 1, verify.Got[[]downstream.Workload](nil), "v1.27.16", position.P4, verify.Fail},
		{"pods with their own secrets", 1, verify.Got([]downstream.Workload{{ECR: true, PullSecrets: true}}), "v1.27.16", position.P4, verify.Warn},
		{"pods could not be read", 0, verify.Failed[[]downstream.Workload](errForbidden), "v1.27.16", position.P4, verify.Unknown},
		{"no image", 0, verify.Got[[]downstream.Workload](nil), "v1.27.16", position.P4, verify.OK},
		{"to 1.26", 1, verify.Got[[]downstream.Workload](nil), "v1.26.15", position.P4, verify.OK},
		{"no upgrade yet", 1, verify.Got[[]downstream.Workload](nil), "", position.P1, verify.OK},
		{"the next minor ends it", 1, verify.Got[[]downstream.Workload](nil), "", position.P5, verify.Warn},
	} {
		t.Run(c.name, func(t *testing.T) {
			in := healthy(t, c.at)
			in.CredentialProvider, in.Target, in.Workloads = &evidence.CredentialProvider{}, c.target, c.workloads
			node(&in, 5).ECRImages = c.images
			if found := ecr(in); worst(found) != c.want {
				t.Errorf("%s, want %s: %+v", worst(found), c.want, found)
			}
		})
	}
	in := healthy(t, position.P5)
	in.Version, in.CredentialProvider = verify.Got("v1.28.15"), &evidence.CredentialProvider{}
	node(&in, 5).ECRImages = 1
	if found := ecr(in); len(found) > 0 {
		t.Errorf("a cluster that is past 1.26: %+v", found)
	}
}
