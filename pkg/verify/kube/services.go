package kube

import (
	"context"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/awsmigrate/awsmigrate/pkg/verify"
	"github.com/awsmigrate/awsmigrate/pkg/verify/downstream"
	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

const annotationLBType = "service.beta.kubernetes.io/aws-load-balancer-type"

func (r Reader) services(ctx context.Context) verify.Read[[]downstream.Service] {
	return collect(ctx, r, "services", metav1.ListOptions{}, r.Kube.CoreV1().Services(metav1.NamespaceAll).List, func(l *corev1.ServiceList) []downstream.Service {
		return filter(l.Items, func(s *corev1.Service) (downstream.Service, bool) {
			out := downstream.Service{
				Namespace: s.Namespace, Name: s.Name, UID: string(s.UID),
				Type: s.Annotations[annotationLBType], Deleting: s.DeletionTimestamp != nil,
			}
			if s.Spec.LoadBalancerClass != nil {
				out.Class = *s.Spec.LoadBalancerClass
			}
			for _, i := range s.Status.LoadBalancer.Ingress {
				out.Hostnames = append(out.Hostnames, i.Hostname+i.IP)
			}
			return out, s.Spec.Type == corev1.ServiceTypeLoadBalancer
		})
	})
}

// events reads the events of Services, the CCM's DaemonSet and leader election. The API keeps
// events for about an hour and may lose them: they explain, but prove nothing.
func (r Reader) events(ctx context.Context) verify.Read[[]downstream.Event] {
	var all []downstream.Event
	for _, q := range []struct{ namespace, selector string }{
		{metav1.NamespaceAll, "involvedObject.kind=Service"},
		{wellknown.System, "involvedObject.kind=DaemonSet"},
		{wellknown.System, "involvedObject.kind=Lease"},
	} {
		part := collect(ctx, r, "events", metav1.ListOptions{FieldSelector: q.selector}, r.Kube.CoreV1().Events(q.namespace).List, func(l *corev1.EventList) []downstream.Event {
			return filter(l.Items, func(e *corev1.Event) (downstream.Event, bool) { return convertEvent(e), true })
		})
		if !part.OK() {
			return part
		}
		all = append(all, part.Value...)
	}
	return verify.Got(all)
}

func convertEvent(e *corev1.Event) downstream.Event {
	o := downstream.Object{Kind: e.InvolvedObject.Kind, Namespace: e.InvolvedObject.Namespace, Name: e.InvolvedObject.Name}
	last := e.LastTimestamp.Time
	for _, t := range []time.Time{e.EventTime.Time, e.FirstTimestamp.Time} {
		if last.IsZero() {
			last = t
		}
	}
	return downstream.Event{
		Object: o.String(), Reason: e.Reason, Message: e.Message, Source: e.Source.Component,
		Warning: e.Type == corev1.EventTypeWarning, Count: e.Count, Last: last, UID: string(e.InvolvedObject.UID), Latest: latestTime(e),
	}
}

func latestTime(e *corev1.Event) time.Time {
	times := []time.Time{e.LastTimestamp.Time, e.EventTime.Time, e.FirstTimestamp.Time}
	if e.Series != nil {
		times = append(times, e.Series.LastObservedTime.Time)
	}
	return slices.MaxFunc(times, time.Time.Compare)
}
