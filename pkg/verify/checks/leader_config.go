package checks

import (
	"fmt"
	"strings"

	"sigs.k8s.io/yaml"

	"github.com/awsmigrate/awsmigrate/pkg/bounded"
	"github.com/awsmigrate/awsmigrate/pkg/verify"
	"github.com/awsmigrate/awsmigrate/pkg/verify/checks/evidence"
	"github.com/awsmigrate/awsmigrate/pkg/verify/component"
	"github.com/awsmigrate/awsmigrate/pkg/verify/downstream"
	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

// migrationConfiguration holds the fields of controllermanager.config.k8s.io
// LeaderMigrationConfiguration that the components use.
type migrationConfiguration struct {
	APIVersion        string `json:"apiVersion"`
	Kind              string `json:"kind"`
	LeaderName        string `json:"leaderName"`
	ResourceLock      string `json:"resourceLock"`
	ControllerLeaders []struct {
		Name      string `json:"name"`
		Component string `json:"component"`
	} `json:"controllerLeaders"`
}

// migrationConfig judges the files of both sides. The API does not show a
// kube-controller-manager's file, which is on its host: it is Unknown, not OK.
func migrationConfig(in evidence.Input) []verify.Finding {
	programs, out := programsOf(in)
	for _, p := range programs {
		file := p.flags.Last(component.LeaderMigrationConfig)
		if file == "" {
			continue
		}
		if strings.HasPrefix(p.object, "kube-controller-manager") {
			if p.flags.Last(component.CloudProvider) == component.ProviderAWS {
				out = append(out, verify.Undecided(p.object, "--leader-migration-config="+file+" lies on the node, which no API shows"))
			}
			continue
		}
		out = append(out, verify.Judge(in.Migration, p.object, func(files map[string]downstream.MigrationConfig) []verify.Finding {
			have, ok := files[file]
			if !ok {
				return []verify.Finding{verify.Undecided(p.object, "--leader-migration-config="+file+" is not in a ConfigMap, where it could be read")}
			}
			object := "ConfigMap " + have.ConfigMap
			return append(judgeConfig(object, have.Text, ccmVersion(in)), unknownFields(object, have.Text, newestCCM(in))...)
		})...)
	}
	return out
}

// ccmVersion returns the version of the CCM's image, or zero if it cannot be read.
func ccmVersion(in evidence.Input) component.Version {
	v, err := component.ImageVersion(in.Facts.CCM().Image)
	if err != nil {
		return component.Version{}
	}
	return v
}

// newestCCM returns the version that the CCM has after an upgrade to the target, if one is given.
func newestCCM(in evidence.Input) component.Version {
	v := ccmVersion(in)
	if versions, err := in.Versions(); err == nil && in.Target != "" && !v.AtLeast(1, 32) {
		return versions[len(versions)-1]
	}
	return v
}

// configLimits returns the limits of a leader migration configuration. The largest that a
// component accepts names three controllers.
func configLimits() bounded.Limits { return bounded.Limits{Bytes: 64 << 10, Values: 1 << 12} }

func judgeConfig(object, text string, v component.Version) []verify.Finding {
	var c migrationConfiguration
	if err := configLimits().CheckYAML([]byte(text)); err != nil {
		return []verify.Finding{verify.Failure(object, err.Error(), "at most "+configLimits().String(), "")}
	}
	if err := yaml.Unmarshal([]byte(text), &c); err != nil {
		return []verify.Finding{verify.Failure(object, err.Error(), "YAML that can be read; component must be quoted: \"*\"", "")}
	}
	var out []verify.Finding
	if c.LeaderName != wellknown.MigrationLease {
		out = append(out, verify.Failure(object, fmt.Sprintf("leaderName %q", c.LeaderName), wellknown.MigrationLease, ""))
	}
	if c.ResourceLock != "leases" && (c.ResourceLock != "" || !strings.HasSuffix(c.APIVersion, "/v1")) {
		out = append(out, verify.Failure(object, fmt.Sprintf("resourceLock %q in %s", c.ResourceLock, c.APIVersion), "leases", ""))
	}
	mine := map[string]bool{}
	for _, l := range c.ControllerLeaders {
		switch {
		case l.Name == "" || l.Component == "":
			out = append(out, verify.Failure(object, "an entry without name or component", "name and component in one entry", ""))
		case strings.Contains(l.Name, "nodeipam") || strings.Contains(l.Name, "node-ipam"):
			out = append(out, verify.Failure(object, "lists "+l.Name, "not listed: the AWS CCM has no such controller", ""))
		case l.Component == "*" || l.Component == wellknown.CCMLease:
			mine[l.Name] = true
		}
	}
	var missing []string
	for _, name := range wantedNames(v) {
		if !mine[name] {
			missing = append(missing, name)
		}
	}
	if len(missing) > 0 {
		out = append(out, verify.Failure(object, "does not list "+strings.Join(missing, ", "), `listed with component "*"`, ""))
	}
	return out
}

// unknownFields returns a failure if a CCM refuses a field of the file, as all do from v1.32 on.
// resourceLock is a field of v1beta1 only
// (kubernetes/controller-manager:pkg/leadermigration/config/config.go@v0.32.9).
func unknownFields(object, text string, v component.Version) []verify.Finding {
	var c migrationConfiguration
	if !v.Known() || !v.AtLeast(1, 32) || configLimits().CheckYAML([]byte(text)) != nil || yaml.Unmarshal([]byte(text), &c) != nil {
		return nil // judgeConfig reports a file that cannot be read
	}
	const wanted = "only fields of its version: a CCM from v1.32 on does not start with others"
	if c.ResourceLock != "" && strings.HasSuffix(c.APIVersion, "/v1") {
		return []verify.Finding{verify.Failure(object, "resourceLock in "+c.APIVersion, wanted, "remove resourceLock")}
	}
	if err := yaml.UnmarshalStrict([]byte(text), &migrationConfiguration{}); err != nil {
		return []verify.Finding{verify.Failure(object, err.Error(), wanted, "")}
	}
	return nil
}

// wantedNames returns the CCM's controllers that must wait for the migration lease, under the
// names of its version (k8s.io/cloud-provider v0.28 renamed them). It returns both families if
// the version is unknown.
func wantedNames(v component.Version) []string {
	before := []string{"service", "route", "cloud-node-lifecycle"}
	after := []string{"service-lb-controller", "node-route-controller", "cloud-node-lifecycle-controller"}
	switch {
	case !v.Known():
		return append(before, after...)
	case v.AtLeast(1, 28):
		return after
	}
	return before
}
