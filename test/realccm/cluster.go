package realccm

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/restmapper"

	"github.com/awsmigrate/awsmigrate/internal/testing/apiserver"
	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
	"github.com/awsmigrate/awsmigrate/test/lab/aws"
	"github.com/awsmigrate/awsmigrate/test/lab/pki"
)

// account is the service account of the chart, as audit logs name it.
const accountUser = "system:serviceaccount:" + wellknown.System + ":cloud-controller-manager"

// Cluster is a kube-apiserver of one version. Its Service's address leads to it.
type Cluster struct {
	Version string
	Client  kubernetes.Interface

	server  *apiserver.Server
	dynamic dynamic.Interface
}

// NewCluster starts a kube-apiserver. It stops when the test ends.
func NewCluster(tb testing.TB, p Pair) *Cluster {
	tb.Helper()
	ca, err := pki.NewCA("front-proxy")
	if err != nil {
		tb.Fatal(err)
	}
	path := filepath.Join(tb.TempDir(), "front-proxy.crt")
	if err := os.WriteFile(path, ca.CertPEM, 0o600); err != nil {
		tb.Fatal(err)
	}
	c := &Cluster{Version: p.Server, server: apiserver.New(tb, apiserver.Options{Program: p.serverProgram(), Args: []string{"--requestheader-client-ca-file=" + path}})}
	if c.Client, err = kubernetes.NewForConfig(c.server.Config()); err != nil {
		tb.Fatal(err)
	}
	if c.dynamic, err = dynamic.NewForConfig(c.server.Config()); err != nil {
		tb.Fatal(err)
	}
	at, err := url.Parse(c.server.Config().Host)
	if err != nil {
		tb.Fatal(err)
	}
	l, err := net.Listen("tcp", serviceIP+":443")
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = l.Close() }) // ends with the test
	go forward(l, at.Host)
	return c
}

// apply makes the chart's objects what they were rendered as.
func (c *Cluster) apply(ctx context.Context, objects []unstructured.Unstructured) error {
	groups, err := restmapper.GetAPIGroupResources(c.Client.Discovery())
	if err != nil {
		return err
	}
	mapper := restmapper.NewDiscoveryRESTMapper(groups)
	for i := range objects {
		o := &objects[i]
		kind := o.GroupVersionKind()
		mapping, err := mapper.RESTMapping(kind.GroupKind(), kind.Version)
		if err != nil {
			return err
		}
		var client dynamic.ResourceInterface = c.dynamic.Resource(mapping.Resource)
		if o.GetNamespace() != "" {
			client = c.dynamic.Resource(mapping.Resource).Namespace(o.GetNamespace())
		}
		if _, err := client.Apply(ctx, o.GetName(), o, metav1.ApplyOptions{FieldManager: "realccm", Force: true}); err != nil {
			return fmt.Errorf("apply %s %s: %w", o.GetKind(), o.GetName(), err)
		}
	}
	return nil
}

// uninitialised is the taint that a CCM removes. The others remain without a kube-controller-manager.
const uninitialised = "node.cloudprovider.kubernetes.io/uninitialized"

// register creates the Node of an instance as a kubelet with the external provider does.
func (c *Cluster) register(ctx context.Context, i aws.Instance) error {
	node := &corev1.Node{
		ObjectMeta: metav1.ObjectMeta{Name: i.PrivateDNSName, Labels: map[string]string{corev1.LabelHostname: i.PrivateDNSName},
			Annotations: map[string]string{"alpha.kubernetes.io/provided-node-ip": i.PrivateIP}},
		Spec: corev1.NodeSpec{Taints: []corev1.Taint{{Key: uninitialised, Value: "true", Effect: corev1.TaintEffectNoSchedule}}},
	}
	if _, err := c.Client.CoreV1().Nodes().Create(ctx, node, metav1.CreateOptions{}); err != nil {
		return err
	}
	return c.setReady(ctx, i.PrivateDNSName, corev1.ConditionTrue)
}

func (c *Cluster) setReady(ctx context.Context, node string, status corev1.ConditionStatus) error {
	patch := fmt.Sprintf(`{"status":{"conditions":[{"type":"Ready","status":%q,"lastHeartbeatTime":%q}]}}`, status, metav1.Now().UTC().Format("2006-01-02T15:04:05Z"))
	_, err := c.Client.CoreV1().Nodes().Patch(ctx, node, types.StrategicMergePatchType, []byte(patch), metav1.PatchOptions{}, "status")
	return err
}

// initialised reports whether the CCM has given a Node its ID and taken its taint.
func (c *Cluster) initialised(ctx context.Context, name string) (bool, error) {
	node, err := c.Client.CoreV1().Nodes().Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return false, err
	}
	tainted := slices.ContainsFunc(node.Spec.Taints, func(t corev1.Taint) bool { return t.Key == uninitialised })
	return node.Spec.ProviderID != "" && !tainted, fmt.Errorf("has ProviderID %q and taints %v", node.Spec.ProviderID, node.Spec.Taints)
}

// serviceName is the only Service of type LoadBalancer.
const serviceName = "web"

func (c *Cluster) exposeService(ctx context.Context) error {
	service := &corev1.Service{ObjectMeta: metav1.ObjectMeta{Name: serviceName}, Spec: corev1.ServiceSpec{
		Type: corev1.ServiceTypeLoadBalancer, Selector: map[string]string{"app": "web"}, Ports: []corev1.ServicePort{{Port: 80}}}}
	_, err := c.Client.CoreV1().Services(metav1.NamespaceDefault).Create(ctx, service, metav1.CreateOptions{})
	return err
}

// balanced reports whether the Service has the name of its load balancer.
func (c *Cluster) balanced(ctx context.Context) (bool, error) {
	service, err := c.Client.CoreV1().Services(metav1.NamespaceDefault).Get(ctx, serviceName, metav1.GetOptions{})
	if err != nil {
		return false, err
	}
	ingress := service.Status.LoadBalancer.Ingress
	return len(ingress) > 0 && ingress[0].Hostname != "", fmt.Errorf("has %v", ingress)
}

// clear removes the leases, Nodes and Services of a run.
func (c *Cluster) clear(ctx context.Context) error {
	if err := c.Client.CoordinationV1().Leases(wellknown.System).DeleteCollection(ctx, metav1.DeleteOptions{}, metav1.ListOptions{}); err != nil {
		return err
	}
	if err := c.Client.CoreV1().Nodes().DeleteCollection(ctx, metav1.DeleteOptions{}, metav1.ListOptions{}); err != nil {
		return err
	}
	services := c.Client.CoreV1().Services(metav1.NamespaceDefault)
	_, err := services.Patch(ctx, serviceName, types.MergePatchType, []byte(`{"metadata":{"finalizers":null}}`), metav1.PatchOptions{})
	if apierrors.IsNotFound(err) {
		return nil
	}
	if err == nil {
		err = services.Delete(ctx, serviceName, metav1.DeleteOptions{})
	}
	if apierrors.IsNotFound(err) {
		err = nil
	}
	return err
}

// holders returns the holders of the CCM's two leases.
func (c *Cluster) holders(ctx context.Context) (map[string]string, error) {
	leases, err := c.Client.CoordinationV1().Leases(wellknown.System).List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, err
	}
	held := map[string]string{}
	for _, l := range leases.Items {
		if l.Name == wellknown.CCMLease || l.Name == wellknown.MigrationLease {
			held[l.Name] = *l.Spec.HolderIdentity
		}
	}
	return held, nil
}

// entry is a line of the audit log.
type entry struct {
	User struct{ Username string }
	Verb string

	ObjectRef      struct{ Resource, Subresource, Name string }
	ResponseStatus struct{ Code int }
	RequestURI     string
}

// audited returns the number of the CCM's requests since a size of the audit log, and those that
// were forbidden.
func (c *Cluster) audited(since int64) (requests int, forbidden []string, err error) {
	raw, err := os.ReadFile(c.server.AuditLog())
	if err != nil {
		return 0, nil, err
	}
	lines := bufio.NewScanner(bytes.NewReader(raw[min(since, int64(len(raw))):]))
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var e entry
		if err := json.Unmarshal(lines.Bytes(), &e); err != nil {
			continue // a line that is being written
		}
		if e.User.Username != accountUser {
			continue
		}
		requests++
		if e.ResponseStatus.Code == 403 {
			forbidden = append(forbidden, fmt.Sprintf("%s %s", e.Verb, e.RequestURI))
		}
	}
	return requests, forbidden, lines.Err()
}

func (c *Cluster) auditSize() (int64, error) {
	info, err := os.Stat(c.server.AuditLog())
	if err != nil {
		return 0, err
	}
	return info.Size(), nil
}
