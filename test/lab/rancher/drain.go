package rancher

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/util/retry"
	"k8s.io/kubectl/pkg/drain"
)

// reconcileDrains does what plan Secrets request: cordon and drain, or uncordon, which removes
// a cordon of that node regardless of its owner. Source:
// rancher/rancher:pkg/controllers/capr/machinedrain/machinedrain.go@v2.8.5.
func (r *Rancher) reconcileDrains(ctx context.Context) error {
	machines, err := r.list(ctx, gvrMachine, "", "")
	if err != nil {
		return err
	}
	plans, err := r.planSecrets(ctx, "", labelMachineName)
	if err != nil {
		return err
	}
	var errs []error
	for i := range machines {
		m := &machines[i]
		s := plans[m.GetName()]
		if s == nil {
			continue // created soon, or deleted with its Machine
		}
		if err := r.drainMachine(ctx, m, s); err != nil && !errors.Is(err, errRunning) {
			errs = append(errs, fmt.Errorf("Machine %s: %w", m.GetName(), err))
		}
	}
	return errors.Join(errs...)
}

func (r *Rancher) drainMachine(ctx context.Context, m *object, s *corev1.Secret) error {
	asked, node := s.Annotations[annotationDrain], str(m, "status", "nodeRef", "name")
	if asked == "" || node == "" {
		return nil
	}
	var options drainOptions
	if err := json.Unmarshal([]byte(asked), &options); err != nil {
		return fmt.Errorf("annotation %s: %w", annotationDrain, err)
	}
	var err error
	key := string(m.GetUID())
	switch {
	case s.Annotations[annotationDrainDone] != asked:
		err = r.background(ctx, "drain/"+key, func(ctx context.Context) error { return r.drainNode(ctx, s, node, asked, options) })
	case s.Annotations[annotationUncordon] != "":
		err = r.background(ctx, "uncordon/"+key, func(ctx context.Context) error { return r.uncordonNode(ctx, s, node, asked, options) })
	default:
		return nil
	}
	if err == nil || errors.Is(err, errRunning) {
		return err
	}
	return errors.Join(err, r.annotatePlan(ctx, s.Namespace, s.Name, map[string]string{annotationDrainError: err.Error()}))
}

// annotatePlan sets annotations of a plan Secret; an empty value removes one.
func (r *Rancher) annotatePlan(ctx context.Context, namespace, name string, values map[string]string) error {
	return retry.RetryOnConflict(retry.DefaultBackoff, func() error {
		s, err := r.mgmt.CoreV1().Secrets(namespace).Get(ctx, name, metav1.GetOptions{})
		if err != nil {
			return err
		}
		if s.Annotations == nil {
			s.Annotations = map[string]string{}
		}
		for k, v := range values {
			if v == "" {
				delete(s.Annotations, k)
			} else {
				s.Annotations[k] = v
			}
		}
		_, err = r.mgmt.CoreV1().Secrets(namespace).Update(ctx, s, metav1.UpdateOptions{})
		return err
	})
}

func (r *Rancher) drainNode(ctx context.Context, s *corev1.Secret, node, asked string, o drainOptions) error {
	n, err := r.down.CoreV1().Nodes().Get(ctx, node, metav1.GetOptions{})
	if err != nil {
		return err
	}
	h := r.drainHelper(ctx, o)
	if err := drain.RunCordonOrUncordon(h, n, true); err != nil {
		return err
	}
	if !hooksDone(s, annotationPreDrain, asked, o.PreDrainHooks) {
		return r.annotatePlan(ctx, s.Namespace, s.Name, map[string]string{annotationPreDrain: asked})
	}
	if o.Enabled {
		if err := drain.RunNodeDrain(h, node); err != nil {
			return err
		}
	}
	return r.annotatePlan(ctx, s.Namespace, s.Name, map[string]string{annotationDrainDone: asked, annotationDrainError: ""})
}

func (r *Rancher) uncordonNode(ctx context.Context, s *corev1.Secret, node, asked string, o drainOptions) error {
	if !hooksDone(s, annotationPostDrain, asked, o.PostDrainHooks) {
		return r.annotatePlan(ctx, s.Namespace, s.Name, map[string]string{annotationPostDrain: asked})
	}
	n, err := r.down.CoreV1().Nodes().Get(ctx, node, metav1.GetOptions{})
	if err != nil {
		return err
	}
	if err := drain.RunCordonOrUncordon(r.drainHelper(ctx, o), n, false); err != nil {
		return err
	}
	clean := map[string]string{annotationPreDrain: "", annotationPostDrain: "", annotationDrain: "", annotationDrainDone: "", annotationUncordon: "", annotationDrainError: ""}
	for _, hook := range append(append([]drainHook(nil), o.PreDrainHooks...), o.PostDrainHooks...) {
		clean[hook.Annotation] = ""
	}
	return r.annotatePlan(ctx, s.Namespace, s.Name, clean)
}

// hooksDone reports whether every hook has answered, and asks them first.
func hooksDone(s *corev1.Secret, phase, asked string, hooks []drainHook) bool {
	if len(hooks) == 0 {
		return true
	}
	if s.Annotations[phase] != asked {
		return false
	}
	for _, h := range hooks {
		if h.Annotation != "" && s.Annotations[h.Annotation] != asked {
			return false
		}
	}
	return true
}

func (r *Rancher) drainHelper(ctx context.Context, o drainOptions) *drain.Helper {
	timeout := o.Timeout
	if timeout == 0 {
		timeout = 600
	}
	return &drain.Helper{
		Ctx: ctx, Client: r.down, Force: o.Force, GracePeriodSeconds: o.GracePeriod,
		IgnoreAllDaemonSets: o.IgnoreDaemonSets == nil || *o.IgnoreDaemonSets,
		Timeout:             time.Duration(timeout) * time.Second, DeleteEmptyDirData: o.DeleteEmptyDirData,
		DisableEviction: o.DisableEviction, SkipWaitForDeleteTimeoutSeconds: o.SkipWaitForDeleteTimeoutSeconds,
		Out: io.Discard, ErrOut: io.Discard,
	}
}
