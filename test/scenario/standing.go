package scenario

import (
	"context"
	"fmt"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// MigrationLease is the Lease of leader migration.
const MigrationLease = "cloud-provider-extraction-migration"

// Standing returns the position of a migration, P0 to P5, as seen from outside: by the arguments
// of processes and by objects. It returns a description if no position fits.
func (l *Lab) Standing(ctx context.Context) (string, error) {
	managers, err := l.RunningNow(ctx, "kube-controller-manager")
	if err != nil || len(managers) == 0 {
		return "", fmt.Errorf("look at %d kube-controller-managers: %w", len(managers), err)
	}
	provider, flag := map[string]int{}, map[string]int{}
	for _, m := range managers {
		p, _ := m.Last("cloud-provider")
		f, _ := m.Last("enable-leader-migration")
		provider[p]++
		flag[f]++
	}
	ccm, err := l.ccmFlag(ctx)
	if err != nil {
		return "", err
	}
	grant, err := exists(l.Downstream.RbacV1().Roles("kube-system").Get(ctx, "awsmigrate-leader-migration", metav1.GetOptions{}))
	if err != nil {
		return "", err
	}
	lease, err := exists(l.Downstream.CoordinationV1().Leases("kube-system").Get(ctx, MigrationLease, metav1.GetOptions{}))
	if err != nil {
		return "", err
	}
	all := len(managers)
	inTree, external, flagged, bare := provider["aws"] == all, provider["external"] == all, flag["true"] == all, flag[""] == all
	switch {
	case inTree && bare && ccm == "none" && !grant && !lease:
		return "P0", nil
	case inTree && bare && ccm == "none" && grant:
		return "P1", nil
	case inTree && flagged && ccm == "none" && grant && lease:
		return "P2", nil
	case inTree && flagged && ccm == "on" && grant && lease:
		return "P3", nil
	case external && bare && ccm == "on" && grant && lease:
		return "P4", nil
	case external && bare && ccm == "off" && !grant && !lease:
		return "P5", nil
	}
	return fmt.Sprintf("providers %v, flags %v, CCM with leader migration %s, grant %t, lease %t", provider, flag, ccm, grant, lease), nil
}

// ccmFlag returns "none" without a CCM. Otherwise it returns the state of leader migration in its
// processes: "on", "off", or their number.
func (l *Lab) ccmFlag(ctx context.Context) (string, error) {
	installed, err := exists(l.Downstream.AppsV1().DaemonSets("kube-system").Get(ctx, "aws-cloud-controller-manager", metav1.GetOptions{}))
	if err != nil || !installed {
		return "none", err
	}
	running, err := l.RunningNow(ctx, "aws-cloud-controller-manager")
	if err != nil {
		return "", err
	}
	on := 0
	for _, r := range running {
		if f, _ := r.Last("enable-leader-migration"); f == "true" {
			on++
		}
	}
	switch {
	case on == len(running) && on > 0:
		return "on", nil
	case on == 0 && len(running) > 0:
		return "off", nil
	}
	return fmt.Sprintf("%d of %d", on, len(running)), nil
}

// StarvingStarts lists every kube-controller-manager that ever started as external with leader
// migration. Such a process can hold the lease but runs none of its controllers.
func (l *Lab) StarvingStarts() ([]string, error) {
	starts, err := l.Starts("kube-controller-manager", metav1.Time{}.Time)
	if err != nil {
		return nil, err
	}
	if len(starts) == 0 {
		return nil, fmt.Errorf("the lab recorded no start of a kube-controller-manager in %s", l.Dir)
	}
	var starving []string
	for _, s := range starts {
		provider, _ := s.Last("cloud-provider")
		if flag, _ := s.Last("enable-leader-migration"); provider == "external" && flag != "" && !strings.EqualFold(flag, "false") {
			starving = append(starving, s.Name)
		}
	}
	return starving, nil
}

func exists[T any](_ T, err error) (bool, error) {
	if apierrors.IsNotFound(err) {
		return false, nil
	}
	return err == nil, err
}
