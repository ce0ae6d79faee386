package remedy

import (
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/utils/clock"

	"github.com/awsmigrate/awsmigrate/internal/testing/apiserver"
	"github.com/awsmigrate/awsmigrate/internal/testing/standin"
	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/migration/audit"
	"github.com/awsmigrate/awsmigrate/pkg/verify"
	awsreader "github.com/awsmigrate/awsmigrate/pkg/verify/aws"
	"github.com/awsmigrate/awsmigrate/test/lab/aws"
)

// Three control planes, as in package standin, and workers.
const controlPlanes, nodes = 3, 5

// follower is the role of the user who follows a fix.
const follower = "follower"

// kube is a Kubernetes with the Nodes of an in-tree cluster, and the access data for a shell.
type kube struct {
	config                  *rest.Config
	client                  kubernetes.Interface
	kubeconfig, home, tools string
}

func newKube(t *testing.T) kube {
	t.Helper()
	server := apiserver.New(t, apiserver.Options{})
	k := kube{
		config: server.Config(), client: kubernetes.NewForConfigOrDie(server.Config()),
		kubeconfig: server.Kubeconfig(t), home: t.TempDir(), tools: toolbox(t),
	}
	for i := range nodes {
		node := standin.Node(i)
		node.UID, node.ResourceVersion = "", ""
		_, err := k.client.CoreV1().Nodes().Create(t.Context(), node, metav1.CreateOptions{})
		must(t, err)
		if i < controlPlanes {
			_, err := k.client.CoreV1().Pods(metav1.NamespaceSystem).Create(t.Context(), manager(node.Name), metav1.CreateOptions{})
			must(t, err)
		}
	}
	return k
}

// manager returns a kube-controller-manager as a kubelet shows it.
func manager(node string) *corev1.Pod {
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			Name: "kube-controller-manager-" + node, Labels: map[string]string{"component": "kube-controller-manager"},
			Annotations: map[string]string{corev1.MirrorPodAnnotationKey: "8fe1c2b6b1f0a2d5e8a7c6b5d4e3f201"},
		},
		Spec: corev1.PodSpec{NodeName: node, Containers: []corev1.Container{{
			Name: "kube-controller-manager", Image: "rancher/hardened-kubernetes:v1.26.13", Args: []string{"--cloud-provider=aws"},
		}}},
	}
}

// cluster is Kubernetes with the instances of its Nodes.
type cluster struct {
	kube
	*aws.Cloud
	url string
}

// newCluster returns a sound cluster that this process audits.
func newCluster(t *testing.T, k kube, id string) *cluster {
	t.Helper()
	c := &cluster{kube: k, Cloud: aws.New(aws.Options{ClusterID: id})}
	for i := range nodes {
		role := aws.RoleWorker
		if i < controlPlanes {
			role = aws.RoleControlPlane
		}
		_, err := c.RunInstance(aws.Instance{
			ID: standin.InstanceID(i), Zone: standin.Zone(i), PrivateIP: standin.Node(i).Status.Addresses[0].Address, Role: role,
		})
		must(t, err)
	}
	must(t, c.SetPolicy(follower, []string{"ec2:CreateTags", "ec2:DeleteTags", "ec2:ModifyInstanceMetadataOptions", "iam:PutRolePolicy"}))
	server := httptest.NewServer(c.Handler())
	t.Cleanup(server.Close)
	c.url = server.URL
	for _, variable := range append(c.access(aws.RoleOperator), "AWS_REGION=", "AWS_DEFAULT_REGION=", "AWS_PROFILE=") {
		name, value, _ := strings.Cut(variable, "=")
		t.Setenv(name, value)
	}
	return c
}

// audit runs `awsmigrate verify --kubeconfig` without the checks of processes.
func (c *cluster) audit(t *testing.T) verify.Report {
	t.Helper()
	seen, err := audit.APIOnly{Config: c.config, Clock: clock.RealClock{}, Options: migration.Options{AWS: "on", AWSIdentity: awsreader.Identity{Process: os.Getenv}}}.Gather(t.Context())
	must(t, err)
	return verify.RunAll(t.Context(), seen.Bound(), verify.Options{
		Position: seen.Input.Position.Position, Only: []string{"AWSM-3", "AWSM-4", "AWSM-5", "AWSM-6", "AWSM-8"},
	})
}
