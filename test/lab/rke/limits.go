package rke

import (
	"context"
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/util/intstr"
)

// limits computes how many hosts may be away at once (rancher/rke:cluster/hosts.go
// CalculateMaxUnavailable, services/node_util.go@v1.5.10).
func (r *run) limits(context.Context) error {
	if !r.upgrade {
		return nil
	}
	inactiveControl, notWorkers := 0, 0
	for _, h := range r.inactive {
		if h.ControlPlane {
			inactiveControl++
		}
		if !h.Worker { // rke itself counts the wrong hosts here
			notWorkers++
		}
	}
	isWorker := func(h *Host) bool { return h.Worker }
	var err error
	s := r.cluster.UpgradeStrategy
	if r.maxWorker, err = maxUnavailable(s.MaxUnavailableWorker, len(r.cluster.with(isWorker))+notWorkers, "worker"); err != nil {
		return err
	}
	if r.maxControl, err = maxUnavailable(s.MaxUnavailableControlplane, len(r.cluster.controlPlanes())+inactiveControl, "controlplane"); err != nil {
		return err
	}
	r.Log.infof("Setting maxUnavailable for worker nodes to: %d", r.maxWorker)
	r.Log.infof("Setting maxUnavailable for controlplane nodes to: %d", r.maxControl)
	return nil
}

// maxUnavailable parses a number or a percentage, rounded down, at least 1.
func maxUnavailable(text string, hosts int, role string) (int, error) {
	value := intstr.Parse(text)
	if value.Type == intstr.Int && value.IntVal <= 0 || strings.HasPrefix(value.StrVal, "-") || value.StrVal == "0%" {
		return 0, fmt.Errorf("invalid input for max_unavailable_%s: %s, value must be > 0", role, text)
	}
	n, err := intstr.GetScaledValueFromIntOrPercent(&value, hosts, false)
	if err != nil {
		return 0, err
	}
	return max(n, 1), nil
}

// lessInactive subtracts unreachable hosts from a limit, and returns an error if none remains.
func lessInactive(limit, inactive int, role string) (int, error) {
	limit = min(limit, workers)
	if inactive >= limit && inactive > 0 {
		return 0, fmt.Errorf("cannot proceed with upgrade of %s since %d host(s) cannot be reached prior to upgrade", role, inactive)
	}
	return limit - inactive, nil
}
