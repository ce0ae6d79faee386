package realccm

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/awsmigrate/awsmigrate/pkg/awsccm/ccmchart"
	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
	"github.com/awsmigrate/awsmigrate/test/lab/aws"
)

const (
	pollInterval = 50 * time.Millisecond
	// refusalTimeout is the time in which a CCM that can work has initialised a Node.
	refusalTimeout = 25 * time.Second
	// waitTimeout is the maximum time of a wait, for a busy machine.
	waitTimeout = 2 * time.Minute
)

// Run describes one start of a CCM.
type Run struct {
	Pair
	LeaderMigration bool
	Surroundings    ccmchart.Surroundings
	CloudConfig     string

	// Hosts lists the AWS names that the machine resolves.
	Hosts []string
	// Trusted reports whether the image's trust store has AWS's authority.
	Trusted bool
	// Files are those of the machine, by path.
	Files map[string][]byte
	// Role names the role of the instance, or is empty.
	Role string
	// Without removes a variable that the chart renders.
	Without string
	// Change alters the rendered objects, or is nil.
	Change func([]unstructured.Unstructured)
	// Whole goes on until the CCM has removed the load balancer and the Node of an ended instance.
	Whole bool
}

// Result holds what one start did.
type Result struct {
	Initialised, Balanced time.Duration // zero if it did not happen
	Requests              int           // of the CCM at the API server
	Forbidden             []string      // of them
	Calls                 int           // of AWS
	Refused               []string      // of them
	Leases                []string      // that the CCM held
	Hosts, Proxied, IMDS  []string
	Carried               []string
	Concerns              []ccmchart.Concern
	Error                 string // last error of the log, or empty if all was done
}

// PublicNames returns the names by which a CCM calls AWS.
func PublicNames() []string {
	return []string{"ec2.us-east-1.amazonaws.com", "elasticloadbalancing.us-east-1.amazonaws.com"}
}

// Do starts the CCM, waits for its work or its failure, and ends it.
func (r Run) Do(tb testing.TB, c *Cluster, a *Account) Result {
	tb.Helper()
	ctx := tb.Context()
	result, err := r.do(ctx, tb, c, a)
	if err != nil {
		tb.Fatalf("%s on %s: %v", r.CCM, c.Version, err)
	}
	return result
}

func (r Run) do(ctx context.Context, tb testing.TB, c *Cluster, a *Account) (result Result, err error) {
	instance, err := a.Cloud.RunInstance(aws.Instance{Role: r.Role})
	if err != nil {
		return result, err
	}
	a.Begin(instance.ID, instance.ID)
	if err := errors.Join(c.clear(ctx), c.register(ctx, instance)); err != nil {
		return result, err
	}
	objects, err := r.render(&result)
	if err != nil {
		return result, err
	}
	if r.Change != nil {
		r.Change(objects)
	}
	if err := c.apply(ctx, objects); err != nil {
		return result, err
	}
	since, err := c.auditSize()
	if err != nil {
		return result, err
	}
	k, err := r.start(tb, c, a, objects)
	if err != nil {
		return result, err
	}
	defer k.stop()
	tb.Logf("log of %s: %s", r.CCM, k.log)
	if err := r.work(ctx, c, a, k, instance, &result); err != nil {
		return result, err
	}
	result.Requests, result.Forbidden, err = c.audited(since)
	result.Calls, result.Refused = a.Calls(), a.Refusals()
	a.mu.Lock()
	defer a.mu.Unlock()
	result.Hosts, result.Proxied, result.IMDS = slices.Sorted(maps.Keys(a.hosts)), slices.Sorted(maps.Keys(a.proxied)), slices.Sorted(maps.Keys(a.metadata))
	return result, err
}

// render returns the chart's objects, as the product installs them.
func (r Run) render(result *Result) ([]unstructured.Unstructured, error) {
	chart, err := ccmchart.Load(context.Background(), "", nil)
	if err != nil {
		return nil, err
	}
	in := ccmchart.Inputs{
		Distribution: wellknown.RKE2, KubernetesVersion: r.Server + "+rke2r1", Image: r.CCM, Chart: chart,
		LeaderMigration: r.LeaderMigration, Surroundings: r.Surroundings, CloudConfig: r.CloudConfig,
	}
	values, err := ccmchart.Values(in)
	if err != nil {
		return nil, err
	}
	result.Carried, result.Concerns = values.Carried, values.Concerns
	return ccmchart.Render(chart, values.Values, in.KubernetesVersion)
}

func (r Run) start(tb testing.TB, c *Cluster, a *Account, objects []unstructured.Unstructured) (*container, error) {
	tb.Helper()
	set, err := ccmchart.DaemonSetOf(objects)
	if err != nil {
		return nil, err
	}
	env := &set.Spec.Template.Spec.Containers[0].Env
	*env = slices.DeleteFunc(*env, func(v corev1.EnvVar) bool { return v.Name == r.Without })
	img := image{host: r.Files}
	if img.program, err = binary(r.ccmProgram()); err != nil {
		return nil, err
	}
	for _, name := range r.Hosts {
		img.hosts += awsIP + " " + name + "\n"
	}
	if r.Trusted {
		img.trust = a.CA.CertPEM
	}
	return newContainer(tb, c, objects, set, img)
}

// work waits until the CCM has initialised the Node and made the load balancer, or has failed.
func (r Run) work(ctx context.Context, c *Cluster, a *Account, k *container, instance aws.Instance, result *Result) error {
	begin := time.Now()
	if result.Error = failure(ctx, k, func() (bool, error) { return c.initialised(ctx, instance.PrivateDNSName) }); result.Error != "" {
		return nil
	}
	result.Initialised = time.Since(begin)
	begin = time.Now()
	if err := c.exposeService(ctx); err != nil {
		return err
	}
	if result.Error = failure(ctx, k, func() (bool, error) { return c.balanced(ctx) }); result.Error != "" {
		return nil
	}
	result.Balanced = time.Since(begin)
	held, err := c.holders(ctx)
	if err != nil {
		return err
	}
	result.Leases = slices.Sorted(maps.Keys(held))
	if !r.Whole {
		return nil
	}
	return remove(ctx, c, a, k, instance)
}

// failure returns the CCM's last error if it cannot do something in time, or is empty.
func failure(ctx context.Context, k *container, holds func() (bool, error)) string {
	if err := until(ctx, refusalTimeout, k, holds); err != nil {
		return cmp.Or(k.lastError(), err.Error())
	}
	return ""
}

// remove deletes the Service and ends the instance, and waits until the CCM has followed.
func remove(ctx context.Context, c *Cluster, a *Account, k *container, instance aws.Instance) error {
	services := c.Client.CoreV1().Services(metav1.NamespaceDefault)
	if err := services.Delete(ctx, serviceName, metav1.DeleteOptions{}); err != nil {
		return err
	}
	err := until(ctx, waitTimeout, k, func() (bool, error) {
		_, err := services.Get(ctx, serviceName, metav1.GetOptions{})
		return apierrors.IsNotFound(err), fmt.Errorf("the Service remains: %w", err)
	})
	if err != nil {
		return err
	}
	if err := errors.Join(a.Cloud.SetInstanceState(instance.ID, aws.StateTerminated), c.setReady(ctx, instance.PrivateDNSName, corev1.ConditionFalse)); err != nil {
		return err
	}
	return until(ctx, waitTimeout, k, func() (bool, error) {
		_, err := c.Client.CoreV1().Nodes().Get(ctx, instance.PrivateDNSName, metav1.GetOptions{})
		return apierrors.IsNotFound(err), fmt.Errorf("the Node of an ended instance remains: %w", err)
	})
}

// until polls holds until it returns true, the time is over or the program has ended.
func until(ctx context.Context, limit time.Duration, k *container, holds func() (bool, error)) error {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	tick := time.NewTicker(pollInterval)
	defer tick.Stop()
	for {
		ok, err := holds()
		if ok {
			return nil
		}
		select {
		case <-ctx.Done():
			return errors.Join(err, ctx.Err())
		case <-k.done:
			return fmt.Errorf("the program ended: %s", k.lastError())
		case <-tick.C:
		}
	}
}
