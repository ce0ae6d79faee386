package release

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/awsmigrate/awsmigrate/internal/testing/apiserver"
	"github.com/awsmigrate/awsmigrate/pkg/awsccm"
	"github.com/awsmigrate/awsmigrate/pkg/awsccm/ccmchart"
	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

// ec2 answers DescribeInstances for i-0a, does not know i-0d, and refuses other calls.
func ec2() *httptest.Server {
	return httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_ = r.ParseForm()
		refuse := func(code string) {
			w.WriteHeader(http.StatusBadRequest)
			fmt.Fprintf(w, `<Response><Errors><Error><Code>%s</Code><Message>no</Message></Error></Errors></Response>`, code)
		}
		switch {
		case r.Form.Get("Action") != "DescribeInstances":
			refuse("UnauthorizedOperation")
		case strings.Contains(r.Form.Encode(), "i-0d"):
			refuse("InvalidInstanceID.NotFound")
		default:
			fmt.Fprint(w, `<DescribeInstancesResponse xmlns="http://ec2.amazonaws.com/doc/2016-11-15/"><reservationSet><item><instancesSet><item>
<instanceId>i-0a</instanceId><instanceState><code>16</code><name>running</name></instanceState><instanceType>m5.large</instanceType>
<privateDnsName>ip-10-0-0-1.ec2.internal</privateDnsName><privateIpAddress>10.0.0.1</privateIpAddress><placement><availabilityZone>us-east-1a</availabilityZone></placement>
<networkInterfaceSet><item><status>in-use</status><attachment><deviceIndex>0</deviceIndex></attachment><privateIpAddressesSet><item><privateIpAddress>10.0.0.1</privateIpAddress></item></privateIpAddressesSet></item></networkInterfaceSet>
</item></instancesSet></item></reservationSet></DescribeInstancesResponse>`)
		}
	}))
}

// leastRights runs the real controller manager under the chart's service account, and checks in
// the audit log that no request was refused.
func (e env) leastRights(t *testing.T) {
	ctx, dir := t.Context(), t.TempDir()
	cloud := ec2()
	defer cloud.Close()
	config := "[Global]\nZone=us-east-1a\nVPC=vpc-1\nSubnetID=subnet-1\nKubernetesClusterID=test\n"
	for i, service := range []string{"ec2", "elasticloadbalancing"} {
		config += fmt.Sprintf("[ServiceOverride \"%d\"]\nService=%s\nRegion=us-east-1\nURL=%s\nSigningRegion=us-east-1\n", i, service, cloud.URL)
	}
	ch := embeddedChart(t)
	out, err := ccmchart.Values(ccmchart.Inputs{Distribution: wellknown.RKE2, KubernetesVersion: "v1.26.13", LeaderMigration: true, Image: "v1.26.0", CloudConfig: config})
	if err != nil {
		t.Fatal(err)
	}
	i := e.installer(t, ch)
	e.apply(t, i, out.Values)
	defer e.uninstall(t, i)
	e.cloudObjects(t)

	arguments := e.mounted(t, dir)
	arguments = append(arguments, e.identity(t, dir)...)
	log := &bytes.Buffer{}
	process := e.ccm(t, arguments, log)
	defer func() {
		_ = process.Process.Kill()
		_ = process.Wait()
		if t.Failed() {
			t.Log(lastLines(log.String(), 40))
		}
	}()

	nodes, services := e.client.CoreV1().Nodes(), e.client.CoreV1().Services("default")
	e.within(t, 5*time.Minute, "the node to be initialised", func() bool {
		n, err := nodes.Get(ctx, "ip-10-0-0-1.ec2.internal", metav1.GetOptions{})
		return err == nil && len(n.Spec.Taints) == 0 && n.Labels["topology.kubernetes.io/zone"] == "us-east-1a" && len(n.Status.Addresses) > 0
	})
	e.within(t, 5*time.Minute, "the dead instance's node to be deleted", func() bool {
		_, err := nodes.Get(ctx, "dead", metav1.GetOptions{})
		return apierrors.IsNotFound(err)
	})
	e.within(t, 5*time.Minute, "the Service's finalizer and event", func() bool {
		s, err := services.Get(ctx, "lb", metav1.GetOptions{})
		events, eventErr := e.client.CoreV1().Events("default").List(ctx, metav1.ListOptions{FieldSelector: "involvedObject.name=lb"})
		return err == nil && eventErr == nil && len(s.Finalizers) > 0 && len(events.Items) > 0
	})
	lease, err := e.client.CoordinationV1().Leases(wellknown.System).Get(ctx, wellknown.MigrationLease, metav1.GetOptions{})
	if err != nil || lease.Spec.HolderIdentity == nil {
		t.Errorf("the migration lease was not taken: %v", err)
	}
	if refused := refusedTo(t, e.server.AuditLog(), "system:serviceaccount:"+wellknown.System+":"+awsccm.ServiceAccountName); len(refused) > 0 {
		t.Errorf("refused by the API server:\n%s", strings.Join(refused, "\n"))
	}
}

// cloudObjects creates objects that give every controller work.
func (e env) cloudObjects(t *testing.T) {
	t.Helper()
	ctx, nodes, services := t.Context(), e.client.CoreV1().Nodes(), e.client.CoreV1().Services("default")
	for name, id := range map[string]string{"ip-10-0-0-1.ec2.internal": "i-0a", "dead": "i-0d"} {
		n, err := nodes.Create(ctx, &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: corev1.NodeSpec{
			ProviderID: "aws:///us-east-1a/" + id,
		}}, metav1.CreateOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if name == "dead" {
			n.Status.Conditions = []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionUnknown}}
			if _, err := nodes.UpdateStatus(ctx, n, metav1.UpdateOptions{}); err != nil {
				t.Fatal(err)
			}
			continue
		}
		n.Spec.Taints = []corev1.Taint{{Key: "node.cloudprovider.kubernetes.io/uninitialized", Value: "true", Effect: corev1.TaintEffectNoSchedule}}
		if _, err := nodes.Update(ctx, n, metav1.UpdateOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := services.Create(ctx, &corev1.Service{ObjectMeta: metav1.ObjectMeta{Name: "lb"}, Spec: corev1.ServiceSpec{
		Type: corev1.ServiceTypeLoadBalancer, Selector: map[string]string{"a": "b"}, Ports: []corev1.ServicePort{{Port: 80}},
	}}, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
}

// mounted returns the DaemonSet's own arguments and writes its files to dir.
func (e env) mounted(t *testing.T, dir string) []string {
	t.Helper()
	ctx := t.Context()
	ds, err := e.client.AppsV1().DaemonSets(wellknown.System).Get(ctx, wellknown.CCM, metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	file, err := e.client.CoreV1().ConfigMaps(wellknown.System).Get(ctx, wellknown.CCM+"-leader-migration", metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	secret, err := e.client.CoreV1().Secrets(wellknown.System).Get(ctx, wellknown.CCM+"-cloud-config", metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for name, data := range map[string][]byte{"leader-migration.yaml": []byte(file.Data["leader-migration.yaml"]), "cloud.conf": secret.Data["cloud.conf"]} {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var args []string
	for _, a := range ds.Spec.Template.Spec.Containers[0].Args {
		name, value, given := strings.Cut(a, "=")
		if !given {
			value = "true"
		}
		if strings.HasPrefix(value, "/etc/kubernetes/") {
			value = filepath.Join(dir, filepath.Base(value))
		}
		args = append(args, name+"="+value)
	}
	return args
}

// identity gives the process the service account's token.
func (e env) identity(t *testing.T, dir string) []string {
	t.Helper()
	token, err := e.client.CoreV1().ServiceAccounts(wellknown.System).CreateToken(t.Context(), awsccm.ServiceAccountName, &authenticationv1.TokenRequest{}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "kubeconfig")
	text := fmt.Sprintf("apiVersion: v1\nkind: Config\nclusters: [{name: t, cluster: {server: %q, certificate-authority: %q}}]\n"+
		"users: [{name: t, user: {token: %q}}]\ncontexts: [{name: t, context: {cluster: t, user: t}}]\ncurrent-context: t\n",
		e.config.Host, e.config.CAFile, token.Status.Token)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return []string{"--kubeconfig=" + path, "--authentication-kubeconfig=" + path, "--authorization-kubeconfig=" + path}
}

func (e env) ccm(t *testing.T, args []string, log *bytes.Buffer) *exec.Cmd {
	t.Helper()
	binaries, err := apiserver.Binaries()
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	port := l.Addr().(*net.TCPAddr).Port
	l.Close()
	args = append(args, "--bind-address=127.0.0.1", fmt.Sprintf("--secure-port=%d", port))
	cmd := exec.CommandContext(t.Context(), filepath.Join(binaries, "ccm-v1.26.0"), args...)
	cmd.Env = []string{"AWS_ACCESS_KEY_ID=x", "AWS_SECRET_ACCESS_KEY=y", "AWS_EC2_METADATA_DISABLED=true", "PATH=" + os.Getenv("PATH")}
	cmd.Stdout, cmd.Stderr = log, log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return cmd
}

func (e env) within(t *testing.T, limit time.Duration, what string, ok func() bool) {
	t.Helper()
	ticker := time.NewTicker(200 * time.Millisecond)
	defer ticker.Stop()
	deadline := time.After(limit)
	for !ok() {
		select {
		case <-ticker.C:
		case <-deadline:
			t.Fatalf("waited %s for %s", limit, what)
		}
	}
}

// refusedTo lists a user's requests that were answered with 403.
func refusedTo(t *testing.T, path, user string) []string {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	asked, seen := 0, map[string]bool{}
	var out []string
	scanner := bufio.NewScanner(f)
	scanner.Buffer(nil, 4<<20)
	for scanner.Scan() {
		var entry struct {
			Verb, RequestURI string
			User             struct{ Username string }
			ResponseStatus   struct{ Code int }
		}
		if json.Unmarshal(scanner.Bytes(), &entry) != nil || entry.User.Username != user {
			continue
		}
		asked++
		line := entry.Verb + " " + entry.RequestURI
		if entry.ResponseStatus.Code == http.StatusForbidden && !seen[line] {
			seen[line] = true
			out = append(out, line)
		}
	}
	if asked == 0 {
		t.Errorf("the audit log has no request of %s", user)
	}
	return out
}

func lastLines(text string, n int) string {
	lines := strings.Split(text, "\n")
	return strings.Join(lines[max(0, len(lines)-n):], "\n")
}
