package wellknown

import (
	"testing"

	"k8s.io/apimachinery/pkg/util/validation"
)

// No object of a cluster shares its name with a journal, a lock, another content or an object
// of another cluster.
func TestObjectName_anyTwo_differ(t *testing.T) {
	clusters := []string{"demo", "demo-plan", "demo.record", "record.demo", "plans", "plans.demo", "job", "run", "run.a", "a.b", "record", "c-7kq2x", "1.2"}
	owner := map[string]string{}
	claim := func(name, description string) {
		if other, taken := owner[name]; taken {
			t.Errorf("%s is the name of %s and of %s", name, description, other)
		}
		owner[name] = description
		if errs := validation.IsDNS1123Subdomain(name); len(errs) > 0 {
			t.Errorf("%s: %v", name, errs)
		}
	}
	for _, cluster := range clusters {
		claim("awsmigrate-"+cluster, "the journal of "+cluster)
		for _, content := range []Content{Plans, Record, JobPlan, JobRole} {
			claim(ObjectName(content, cluster), string(content)+" of "+cluster)
		}
	}
}

func TestBelongs(t *testing.T) {
	labels, notes := map[string]string{ContentLabel: "plans"}, map[string]string{ClusterNote: "demo"}
	if !Belongs(labels, notes, Plans, "demo") {
		t.Error("own object")
	}
	if Belongs(labels, notes, Record, "demo") || Belongs(labels, notes, Plans, "demo-plan") || Belongs(nil, nil, Plans, "demo") {
		t.Error("foreign object")
	}
}
