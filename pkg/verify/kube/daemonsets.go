package kube

import (
	"context"
	"sync"

	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/awsmigrate/awsmigrate/pkg/verify"
	"github.com/awsmigrate/awsmigrate/pkg/verify/downstream"
)

// daemonSets lists the cluster's DaemonSets at its first call, once for all callers.
type daemonSets func() daemonSetParts

// daemonSetParts holds the DaemonSets that run a CCM, and those that run another manager or an
// API server.
type daemonSetParts struct {
	ccms   verify.Read[[]downstream.DaemonSet]
	others verify.Read[[]downstream.Workload]
}

func (r Reader) daemonSets(ctx context.Context) daemonSets {
	return sync.OnceValue(func() daemonSetParts {
		type one struct {
			ccm   *downstream.DaemonSet
			other downstream.Workload
		}
		read := collect(ctx, r, "daemonsets", metav1.ListOptions{}, r.Kube.AppsV1().DaemonSets(metav1.NamespaceAll).List, func(l *appsv1.DaemonSetList) []one {
			return filter(l.Items, func(d *appsv1.DaemonSet) (one, bool) {
				w, is := convertWorkload("DaemonSet", d.ObjectMeta, daemonCount(d), d.Spec.Template)
				if _, ccm := downstream.RunsCCM(w.Containers); ccm {
					set := convertDaemonSet(d, w.Containers)
					return one{ccm: &set}, true
				}
				w.EBSDriver = ebsDriver(d.Spec.Template.Spec, d.Status.NumberReady)
				return one{other: w}, is || w.EBSDriver != nil
			})
		})
		if !read.OK() {
			return daemonSetParts{verify.Failed[[]downstream.DaemonSet](read.Err), verify.Failed[[]downstream.Workload](read.Err)}
		}
		var ccms []downstream.DaemonSet
		var others []downstream.Workload
		for _, o := range read.Value {
			if o.ccm != nil {
				ccms = append(ccms, *o.ccm)
				continue
			}
			others = append(others, o.other)
		}
		return daemonSetParts{verify.Got(ccms), verify.Got(others)}
	})
}

// daemonCount returns how many pods the DaemonSet wants or still has.
func daemonCount(d *appsv1.DaemonSet) int32 {
	s := d.Status
	count := max(s.DesiredNumberScheduled, s.CurrentNumberScheduled+s.NumberMisscheduled)
	if s.ObservedGeneration < d.Generation {
		count = max(1, count) // its controller has not observed it yet
	}
	return count
}
