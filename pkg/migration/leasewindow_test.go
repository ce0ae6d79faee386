package migration

import (
	"testing"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/awsmigrate/awsmigrate/pkg/verify/lease"
	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

// A lease that is made while somebody looks is looked at from then on: the time
// before it existed is no time without a renewal.
func TestLeaseThatIsMadeMeanwhileIsNotStuck(t *testing.T) {
	holder, seconds := "ccm-1", int32(15)
	with := func(version string) Downstream {
		return Downstream{Leases: map[string]*coordinationv1.Lease{wellknown.CCMLease: {
			ObjectMeta: metav1.ObjectMeta{UID: "u", ResourceVersion: version},
			Spec:       coordinationv1.LeaseSpec{HolderIdentity: &holder, LeaseDurationSeconds: &seconds}}}}
	}
	c := &Core{leases: map[string][]lease.Observation{}}
	for at := time.Duration(0); at < 11*time.Second; at += time.Second {
		c.observeLeases(Downstream{}, at)
	}
	c.observeLeases(with("1"), 11*time.Second)
	series := c.observeLeases(with("1"), 12*time.Second).CCM
	if got := lease.JudgeMain(series, 10*time.Second); got.Life == lease.Dead {
		t.Errorf("made a second ago and %s: %+v", got.Life, series)
	}
	for at := 13 * time.Second; at < 23*time.Second; at += time.Second {
		series = c.observeLeases(with("1"), at).CCM
	}
	if got := lease.JudgeMain(series, 10*time.Second); got.Life != lease.Dead {
		t.Errorf("not renewed for 11 s and %s: %+v", got.Life, series)
	}
	// One that goes is gone, and one that comes back is another.
	c.observeLeases(Downstream{}, 23*time.Second)
	if series = c.observeLeases(with("7"), 24*time.Second).CCM; series.First.At != 24*time.Second {
		t.Errorf("%+v", series)
	}
}
