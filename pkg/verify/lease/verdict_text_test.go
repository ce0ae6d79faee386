package lease

import "testing"

func TestTextOfAVerdict(t *testing.T) {
	for want, v := range map[string]Verdict{
		"not there yet: nobody has taken it":                  {Owner: NoLease, Life: NotHeld},
		"held by nobody yet":                                  {Owner: Nobody, Life: NotHeld},
		"taken by kube-controller-manager, a renewal awaited": {Owner: KCM, Life: Silent},
		"of kube-controller-manager, which does not renew it": {Owner: KCM, Life: Dead},
		"aws-cloud-controller-manager, renewing":              {Owner: CCM, Life: Alive},
	} {
		if got := v.Text(); got != want {
			t.Errorf("%+v: %q, want %q", v, got, want)
		}
	}
}
