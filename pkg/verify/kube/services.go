package kube

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/awsmigrate/awsmigrate/pkg/verify"
	"github.com/awsmigrate/awsmigrate/pkg/verify/downstream"
	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

const (
	prefixLB         = "service.beta.kubernetes.io/"
	annotationLBType = prefixLB + "aws-load-balancer-type"
)

func (r Reader) services(ctx context.Context) verify.Read[[]downstream.Service] {
	return collect(ctx, r, "services", metav1.ListOptions{}, r.Kube.CoreV1().Services(metav1.NamespaceAll).List, func(l *corev1.ServiceList) []downstream.Service {
		return filter(l.Items, func(s *corev1.Service) (downstream.Service, bool) {
			out := downstream.Service{
				Namespace: s.Namespace, Name: s.Name, UID: string(s.UID),
				Type: s.Annotations[annotationLBType], Deleting: s.DeletionTimestamp != nil, Spec: hashSpec(s),
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

// hashSpec returns a hash of what the AWS provider derives a load balancer from: the spec without
// addresses and selector, and the annotations of service.beta.kubernetes.io.
func hashSpec(s *corev1.Service) string {
	text := fmt.Sprint(s.Spec.Ports, s.Spec.LoadBalancerSourceRanges, s.Spec.ExternalTrafficPolicy, s.Spec.HealthCheckNodePort, s.Spec.SessionAffinity, s.Spec.IPFamilies)
	for _, key := range slices.Sorted(maps.Keys(s.Annotations)) {
		if strings.HasPrefix(key, prefixLB) {
			text += "\n" + key + "=" + s.Annotations[key]
		}
	}
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:6])
}

// Endpoints counts the ready endpoints of Services, by "namespace/name".
func (r Reader) Endpoints(ctx context.Context, services []downstream.Service) verify.Read[map[string]int] {
	counts := map[string]int{}
	for _, s := range services {
		found := collect(ctx, r, "endpoints of "+s.String(), metav1.ListOptions{LabelSelector: discoveryv1.LabelServiceName + "=" + s.Name},
			r.Kube.DiscoveryV1().EndpointSlices(s.Namespace).List, readyEndpoints)
		if !found.OK() {
			return verify.Failed[map[string]int](found.Err)
		}
		counts[s.Namespace+"/"+s.Name] = len(found.Value)
	}
	return verify.Got(counts)
}

// readyEndpoints returns the first address of each ready endpoint. An endpoint that does not say
// whether it is ready counts as ready (k8s.io/api/discovery/v1 EndpointConditions).
func readyEndpoints(l *discoveryv1.EndpointSliceList) []string {
	var ready []string
	for _, slice := range l.Items {
		for _, e := range slice.Endpoints {
			if (e.Conditions.Ready == nil || *e.Conditions.Ready) && len(e.Addresses) > 0 {
				ready = append(ready, e.Addresses[0])
			}
		}
	}
	return ready
}

// events reads the events of Services, the CCM's DaemonSet and leader election. The API keeps
// events for about an hour and may lose them: they explain, but prove nothing.
func (r Reader) events(ctx context.Context) verify.Read[[]downstream.Event] {
	var all []downstream.Event
	for _, q := range []struct{ namespace, selector string }{
		{metav1.NamespaceAll, ofServices},
		{wellknown.System, "involvedObject.kind=DaemonSet"},
		{wellknown.System, "involvedObject.kind=Lease"},
	} {
		part := r.eventsOf(ctx, q.namespace, q.selector)
		if !part.OK() {
			return part
		}
		all = append(all, part.Value...)
	}
	return verify.Got(all)
}

// ofServices is the field selector of the events of Services.
const ofServices = "involvedObject.kind=Service"

func (r Reader) eventsOf(ctx context.Context, namespace, selector string) verify.Read[[]downstream.Event] {
	return collect(ctx, r, "events", metav1.ListOptions{FieldSelector: selector}, r.Kube.CoreV1().Events(namespace).List, func(l *corev1.EventList) []downstream.Event {
		return filter(l.Items, func(e *corev1.Event) (downstream.Event, bool) { return convertEvent(e), true })
	})
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
