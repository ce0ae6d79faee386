package checks

import (
	"testing"

	"github.com/awsmigrate/awsmigrate/pkg/verify"
	"github.com/awsmigrate/awsmigrate/pkg/verify/downstream"
	"github.com/awsmigrate/awsmigrate/pkg/verify/position"
)

// A driver with host network or an identity of its own does not need two hops.
func TestEBSDriverWorks_reachesCredentials(t *testing.T) {
	for name, change := range map[string]func(*downstream.EBSDriver){
		"host network": func(d *downstream.EBSDriver) { d.HostNetwork = true },
		"identity":     func(d *downstream.EBSDriver) { d.Identity = true },
	} {
		in := healthy(t, position.P4)
		controller := driver("Deployment", 2, 2)
		change(controller.EBSDriver)
		withDriver(&in, controller)
		i := in.Cloud.Instances.Value["i-00000005"]
		i.HTTPTokens = "required"
		in.Cloud.Instances.Value["i-00000005"] = i
		if found := ebsDriverWorks(in); worst(found) != verify.OK {
			t.Errorf("%s: %+v", name, found)
		}
	}
	in := healthy(t, position.P4)
	if found := ebsDriverWorks(in); len(found) > 0 {
		t.Errorf("no volume needs a driver: %+v", found)
	}
}
