package rancher

import (
	"context"
	"fmt"
	"time"

	admissionregistration "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	extensionsclient "k8s.io/apiextensions-apiserver/pkg/client/clientset/clientset"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/wait"
)

// Install creates the objects of a Rancher installation: namespaces, CRDs, settings, pod
// security templates, the local cluster's objects and the webhook's registration. It may be
// called again. The webhook answers once Run is called.
func (r *Rancher) Install(ctx context.Context) error {
	for _, ns := range []string{"cattle-system", "fleet-default", localClusterNamespace} {
		_, err := r.mgmt.CoreV1().Namespaces().Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: ns}}, metav1.CreateOptions{})
		if err != nil && !apierrors.IsAlreadyExists(err) {
			return fmt.Errorf("lab rancher: creating Namespace %s: %w", ns, err)
		}
	}
	if err := r.installDefinitions(ctx); err != nil {
		return fmt.Errorf("lab rancher: %w", err)
	}
	for _, o := range r.firstObjects() {
		if _, err := r.ensure(ctx, o.gvr, o.object); err != nil {
			return fmt.Errorf("lab rancher: %w", err)
		}
	}
	err := r.mutateStatus(ctx, gvrCluster, localClusterNamespace, localManagementName, func(o *object) error {
		return unstructured.SetNestedField(o.Object, localManagementName, "status", "clusterName")
	})
	if err != nil {
		return fmt.Errorf("lab rancher: %w", err)
	}
	return r.registerWebhook(ctx)
}

func (r *Rancher) installDefinitions(ctx context.Context) error {
	client, err := extensionsclient.NewForConfig(unthrottled(r.cfg.Mgmt))
	if err != nil {
		return err
	}
	crds := client.ApiextensionsV1().CustomResourceDefinitions()
	for _, d := range definitions() {
		if _, err := crds.Create(ctx, d, metav1.CreateOptions{}); err != nil && !apierrors.IsAlreadyExists(err) {
			return fmt.Errorf("creating CustomResourceDefinition %s: %w", d.Name, err)
		}
	}
	for _, d := range definitions() {
		err := wait.PollUntilContextTimeout(ctx, 100*time.Millisecond, time.Minute, true, func(ctx context.Context) (bool, error) {
			have, err := crds.Get(ctx, d.Name, metav1.GetOptions{})
			if err != nil {
				return false, err
			}
			for _, c := range have.Status.Conditions {
				if c.Type == apiextensions.Established && c.Status == apiextensions.ConditionTrue {
					return true, nil
				}
			}
			return false, nil
		})
		if err != nil {
			return fmt.Errorf("waiting for CustomResourceDefinition %s to be established: %w", d.Name, err)
		}
	}
	return nil
}

type first struct {
	gvr    schema.GroupVersionResource
	object *object
}

// firstObjects returns settings, templates and the local cluster.
func (r *Rancher) firstObjects() []first {
	var out []first
	ca := string(r.cfg.Authority.CertificatePEM())
	server := "https://" + r.cfg.ProxyAddress
	for name, value := range map[string]string{
		"server-version": r.cfg.Version, "server-url": server, "cacerts": ca, "internal-server-url": server, "internal-cacerts": ca,
	} {
		s := newObject(gvrSetting, "Setting", "", name)
		s.Object["value"], s.Object["default"] = value, ""
		out = append(out, first{gvrSetting, s})
	}
	for name, level := range map[string]string{"rancher-privileged": "privileged", "rancher-restricted": "restricted"} {
		t := newObject(gvrPSACT, "PodSecurityAdmissionConfigurationTemplate", "", name)
		t.Object["configuration"] = map[string]any{
			"defaults":   map[string]any{"enforce": level, "enforce-version": "latest", "audit": level, "audit-version": "latest", "warn": level, "warn-version": "latest"},
			"exemptions": map[string]any{"namespaces": []any{"kube-system", "cattle-system", "cattle-fleet-system"}},
		}
		out = append(out, first{gvrPSACT, t})
	}
	m := newObject(gvrManagementCluster, "Cluster", "", localManagementName)
	m.Object["spec"] = map[string]any{"displayName": localManagementName, "internal": true}
	c := newObject(gvrCluster, "Cluster", localClusterNamespace, localManagementName)
	c.Object["spec"] = map[string]any{}
	return append(out, first{gvrManagementCluster, m}, first{gvrCluster, c})
}

// registerWebhook creates the two configurations. As with Rancher's webhook, a dry run has no
// side effects.
func (r *Rancher) registerWebhook(ctx context.Context) error {
	if r.cfg.WebhookAddress == "" {
		return nil
	}
	client := func(path string) admissionregistration.WebhookClientConfig {
		url := "https://" + r.cfg.WebhookAddress + path
		return admissionregistration.WebhookClientConfig{URL: &url, CABundle: r.cfg.Authority.CertificatePEM()}
	}
	fail, effects, timeout, scope := admissionregistration.Fail, admissionregistration.SideEffectClassNoneOnDryRun, int32(10), admissionregistration.NamespacedScope
	rules := []admissionregistration.RuleWithOperations{{
		Operations: []admissionregistration.OperationType{admissionregistration.Create, admissionregistration.Update},
		Rule:       admissionregistration.Rule{APIGroups: []string{gvrCluster.Group}, APIVersions: []string{"v1"}, Resources: []string{"clusters"}, Scope: &scope},
	}}
	name := "rancher.cattle.io.clusters.provisioning.cattle.io"
	meta := metav1.ObjectMeta{Name: "rancher.cattle.io"}
	registration := r.mgmt.AdmissionregistrationV1()
	_, err := registration.MutatingWebhookConfigurations().Create(ctx, &admissionregistration.MutatingWebhookConfiguration{ObjectMeta: meta,
		Webhooks: []admissionregistration.MutatingWebhook{{Name: name, ClientConfig: client(mutatePath), Rules: rules, FailurePolicy: &fail,
			SideEffects: &effects, TimeoutSeconds: &timeout, AdmissionReviewVersions: []string{"v1"}}}}, metav1.CreateOptions{})
	if err == nil || apierrors.IsAlreadyExists(err) {
		_, err = registration.ValidatingWebhookConfigurations().Create(ctx, &admissionregistration.ValidatingWebhookConfiguration{ObjectMeta: meta,
			Webhooks: []admissionregistration.ValidatingWebhook{{Name: name, ClientConfig: client(validatePath), Rules: rules, FailurePolicy: &fail,
				SideEffects: &effects, TimeoutSeconds: &timeout, AdmissionReviewVersions: []string{"v1"}}}}, metav1.CreateOptions{})
	}
	if err != nil && !apierrors.IsAlreadyExists(err) {
		return fmt.Errorf("lab rancher: registering the webhook: %w", err)
	}
	return nil
}
