package lease

import "testing"

func TestVerdictText(t *testing.T) {
	for want, v := range map[string]Verdict{
		"not created yet": {Owner: NoLease, Life: NotHeld},
		"no holder yet":   {Owner: NoHolder, Life: NotHeld},
		"acquired by kube-controller-manager, not renewed yet":     {Owner: KCM, Life: Silent},
		"held by kube-controller-manager, which does not renew it": {Owner: KCM, Life: Dead},
		"aws-cloud-controller-manager, renewing":                   {Owner: CCM, Life: Alive},
	} {
		if got := v.Text(); got != want {
			t.Errorf("%+v: %q, want %q", v, got, want)
		}
	}
}
