package helmcontroller

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"reflect"
	"slices"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/util/retry"
	"k8s.io/utils/clock"
)

// Config configures a controller.
type Config struct {
	Cluster       *rest.Config     // as system:masters
	APIServerPort string           // for bootstrap jobs; 6443 if empty
	Poll          time.Duration    // between passes; 1s if 0
	Clock         clock.WithTicker // the real one if nil
	Log           *slog.Logger     // may be nil
}

// Controller is the stand-in. Use New.
type Controller struct {
	cfg  Config
	dyn  dynamic.Interface
	kube kubernetes.Interface
}

// New creates the clients without a request.
func New(cfg Config) (*Controller, error) {
	if cfg.Cluster == nil {
		return nil, errors.New("lab helm-controller: Cluster must be set")
	}
	if cfg.APIServerPort == "" {
		cfg.APIServerPort = "6443"
	}
	if cfg.Poll == 0 {
		cfg.Poll = time.Second
	}
	if cfg.Clock == nil {
		cfg.Clock = clock.RealClock{}
	}
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	c := rest.CopyConfig(cfg.Cluster)
	c.QPS, c.Burst, c.Timeout, c.UserAgent = 100, 200, 5*time.Second, "helm-controller"
	dyn, err := dynamic.NewForConfig(c)
	if err != nil {
		return nil, fmt.Errorf("lab helm-controller: %w", err)
	}
	kube, err := kubernetes.NewForConfig(c)
	if err != nil {
		return nil, fmt.Errorf("lab helm-controller: %w", err)
	}
	return &Controller{cfg: cfg, dyn: dyn, kube: kube}, nil
}

// Run handles every HelmChart periodically until ctx ends, which is no error. Install must have
// been called.
func (c *Controller) Run(ctx context.Context) error {
	ticker := c.cfg.Clock.NewTicker(c.cfg.Poll)
	defer ticker.Stop()
	last := ""
	for {
		text := ""
		if err := c.pass(ctx); err != nil && ctx.Err() == nil {
			text = err.Error()
		}
		if text != last && text != "" {
			c.cfg.Log.Warn("helm-controller", "error", text)
		}
		last = text
		select {
		case <-ctx.Done():
			return nil
		case <-ticker.C():
		}
	}
}

func (c *Controller) pass(ctx context.Context) error {
	l, err := c.dyn.Resource(gvrChart).Namespace(namespace).List(ctx, metav1.ListOptions{})
	if err != nil {
		return fmt.Errorf("listing HelmCharts: %w", err)
	}
	var errs []error
	for i := range l.Items {
		if err := c.reconcile(ctx, &l.Items[i]); err != nil {
			errs = append(errs, fmt.Errorf("HelmChart %s: %w", l.Items[i].GetName(), err))
		}
	}
	return errors.Join(errs...)
}

func (c *Controller) reconcile(ctx context.Context, o *unstructured.Unstructured) error {
	chart := &helmChart{}
	if err := convert(o.Object, chart); err != nil {
		return err
	}
	if _, unmanaged := chart.Annotations[annotationUnmanaged]; unmanaged || (chart.Spec.Chart == "" && chart.Spec.ChartContent == "") {
		return nil
	}
	if by := chart.Annotations[annotationManagedBy]; by != "" && by != managedBy {
		return nil
	}
	if chart.DeletionTimestamp == nil && (chart.Annotations[annotationManagedBy] == "" || !slices.Contains(chart.Finalizers, finalizer)) {
		return c.change(ctx, chart.Name, claim)
	}
	if chart.DeletionTimestamp != nil && !slices.Contains(chart.Finalizers, finalizer) {
		return nil
	}
	config, err := c.config(ctx, chart.Name)
	if err != nil {
		return err
	}
	m := build(chart, config, c.cfg.APIServerPort)
	owner(chart, m)
	if err := c.apply(ctx, m); err != nil {
		return err
	}
	if err := c.setJobName(ctx, chart.Name, m.Job.Name); err != nil {
		return err
	}
	if chart.DeletionTimestamp != nil {
		return c.finish(ctx, chart, m)
	}
	return nil
}

// claim adds the controller's marks to a new HelmChart.
func claim(o *unstructured.Unstructured) {
	a := o.GetAnnotations()
	if a == nil {
		a = map[string]string{}
	}
	a[annotationManagedBy] = managedBy
	o.SetAnnotations(a)
	if !slices.Contains(o.GetFinalizers(), finalizer) {
		o.SetFinalizers(append(o.GetFinalizers(), finalizer))
	}
}

func convert(in, into any) error {
	b, err := json.Marshal(in)
	if err != nil {
		return err
	}
	return json.Unmarshal(b, into)
}

func (c *Controller) config(ctx context.Context, name string) (*chartConfig, error) {
	o, err := c.dyn.Resource(gvrConfig).Namespace(namespace).Get(ctx, name, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("reading HelmChartConfig %s: %w", name, err)
	}
	config := &chartConfig{}
	return config, convert(o.Object, config)
}

func (c *Controller) change(ctx context.Context, name string, f func(*unstructured.Unstructured)) error {
	return retry.RetryOnConflict(retry.DefaultBackoff, func() error {
		o, err := c.dyn.Resource(gvrChart).Namespace(namespace).Get(ctx, name, metav1.GetOptions{})
		if apierrors.IsNotFound(err) {
			return nil
		}
		if err != nil {
			return err
		}
		f(o)
		_, err = c.dyn.Resource(gvrChart).Namespace(namespace).Update(ctx, o, metav1.UpdateOptions{})
		return err
	})
}

func (c *Controller) setJobName(ctx context.Context, chart, job string) error {
	return retry.RetryOnConflict(retry.DefaultBackoff, func() error {
		o, err := c.dyn.Resource(gvrChart).Namespace(namespace).Get(ctx, chart, metav1.GetOptions{})
		if err != nil {
			return err
		}
		if had, _, _ := unstructured.NestedString(o.Object, "status", "jobName"); had == job {
			return nil
		}
		if err := unstructured.SetNestedField(o.Object, job, "status", "jobName"); err != nil {
			return err
		}
		_, err = c.dyn.Resource(gvrChart).Namespace(namespace).UpdateStatus(ctx, o, metav1.UpdateOptions{})
		return err
	})
}

// owner makes the chart the owner of its objects, so that the garbage collector deletes them
// with the chart.
func owner(chart *helmChart, m manifest) {
	yes := true
	refs := []metav1.OwnerReference{{APIVersion: "helm.cattle.io/v1", Kind: "HelmChart", Name: chart.Name, UID: chart.UID, Controller: &yes}}
	for _, o := range []metav1.Object{m.Job, m.Values, m.Content, m.ServiceAccount} {
		o.SetOwnerReferences(refs)
	}
}

// apply updates the objects. A Job cannot be changed: a different one is deleted, with its
// pods, and recreated in a later pass. While a chart is being deleted, the install job is
// deleted first.
func (c *Controller) apply(ctx context.Context, m manifest) error {
	if err := c.applyRest(ctx, m); err != nil {
		return err
	}
	jobs := c.kube.BatchV1().Jobs(namespace)
	others, err := jobs.List(ctx, metav1.ListOptions{LabelSelector: labelChart + "=" + m.Job.Labels[labelChart]})
	if err != nil {
		return fmt.Errorf("listing Jobs: %w", err)
	}
	for i := range others.Items {
		have := &others.Items[i]
		if have.Name == m.Job.Name && sameJob(have, m.Job) {
			return nil
		}
		foreground := metav1.DeletePropagationForeground
		err := jobs.Delete(ctx, have.Name, metav1.DeleteOptions{PropagationPolicy: &foreground})
		if err != nil && !apierrors.IsNotFound(err) {
			return fmt.Errorf("replacing Job %s: %w", have.Name, err)
		}
	}
	if len(others.Items) > 0 {
		return nil // wait until they and their pods are gone
	}
	if _, err := jobs.Create(ctx, m.Job, metav1.CreateOptions{}); err != nil {
		return fmt.Errorf("creating Job %s: %w", m.Job.Name, err)
	}
	return nil
}

// sameJob compares the fields that build sets; the API server sets the others.
func sameJob(have, want *batchv1.Job) bool {
	if have.DeletionTimestamp != nil {
		return true // it is being replaced
	}
	h, w := have.Spec.Template, want.Spec.Template
	return h.Annotations[annotationHash] == w.Annotations[annotationHash] && *have.Spec.BackoffLimit == *want.Spec.BackoffLimit &&
		maps.Equal(h.Spec.NodeSelector, w.Spec.NodeSelector) && h.Spec.HostNetwork == w.Spec.HostNetwork &&
		reflect.DeepEqual(h.Spec.Tolerations, w.Spec.Tolerations) && h.Spec.Containers[0].Image == w.Spec.Containers[0].Image &&
		slices.Equal(h.Spec.Containers[0].Args, w.Spec.Containers[0].Args) && slices.Equal(plainEnv(h.Spec), plainEnv(w.Spec))
}

func plainEnv(p corev1.PodSpec) []string {
	var out []string
	for _, e := range p.Containers[0].Env {
		out = append(out, e.Name+"="+e.Value)
	}
	return out
}

func (c *Controller) applyRest(ctx context.Context, m manifest) error {
	core := c.kube.CoreV1()
	if _, err := core.ServiceAccounts(namespace).Create(ctx, m.ServiceAccount, metav1.CreateOptions{}); err != nil && !apierrors.IsAlreadyExists(err) {
		return fmt.Errorf("creating ServiceAccount %s: %w", m.ServiceAccount.Name, err)
	}
	if _, err := c.kube.RbacV1().ClusterRoleBindings().Create(ctx, m.Binding, metav1.CreateOptions{}); err != nil && !apierrors.IsAlreadyExists(err) {
		return fmt.Errorf("creating ClusterRoleBinding %s: %w", m.Binding.Name, err)
	}
	secret, err := core.Secrets(namespace).Get(ctx, m.Values.Name, metav1.GetOptions{})
	switch {
	case apierrors.IsNotFound(err):
		_, err = core.Secrets(namespace).Create(ctx, m.Values, metav1.CreateOptions{})
	case err == nil && !reflect.DeepEqual(secret.Data, m.Values.Data) && len(secret.Data)+len(m.Values.Data) > 0:
		secret.Data = m.Values.Data
		_, err = core.Secrets(namespace).Update(ctx, secret, metav1.UpdateOptions{})
	}
	if err != nil {
		return fmt.Errorf("applying Secret %s: %w", m.Values.Name, err)
	}
	content, err := core.ConfigMaps(namespace).Get(ctx, m.Content.Name, metav1.GetOptions{})
	switch {
	case apierrors.IsNotFound(err):
		_, err = core.ConfigMaps(namespace).Create(ctx, m.Content, metav1.CreateOptions{})
	case err == nil && !maps.Equal(content.Data, m.Content.Data):
		content.Data = m.Content.Data
		_, err = core.ConfigMaps(namespace).Update(ctx, content, metav1.UpdateOptions{})
	}
	if err != nil {
		return fmt.Errorf("applying ConfigMap %s: %w", m.Content.Name, err)
	}
	return nil
}

// finish removes the finalizer of a deleted HelmChart once its delete job succeeded.
func (c *Controller) finish(ctx context.Context, chart *helmChart, m manifest) error {
	j, err := c.kube.BatchV1().Jobs(namespace).Get(ctx, m.Job.Name, metav1.GetOptions{})
	if apierrors.IsNotFound(err) || (err == nil && j.Status.Succeeded == 0) {
		return nil
	}
	if err != nil {
		return err
	}
	background := metav1.DeletePropagationBackground
	errs := []error{
		c.kube.BatchV1().Jobs(namespace).Delete(ctx, m.Job.Name, metav1.DeleteOptions{PropagationPolicy: &background}),
		c.kube.CoreV1().Secrets(namespace).Delete(ctx, m.Values.Name, metav1.DeleteOptions{}),
		c.kube.CoreV1().ConfigMaps(namespace).Delete(ctx, m.Content.Name, metav1.DeleteOptions{}),
		c.kube.CoreV1().ServiceAccounts(namespace).Delete(ctx, m.ServiceAccount.Name, metav1.DeleteOptions{}),
		c.kube.RbacV1().ClusterRoleBindings().Delete(ctx, m.Binding.Name, metav1.DeleteOptions{}),
	}
	for _, err := range errs {
		if err != nil && !apierrors.IsNotFound(err) {
			return err
		}
	}
	return c.change(ctx, chart.Name, func(o *unstructured.Unstructured) {
		o.SetFinalizers(slices.DeleteFunc(o.GetFinalizers(), func(f string) bool { return f == finalizer }))
	})
}
