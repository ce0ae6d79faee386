package config

import (
	"encoding/json"
	"fmt"
	"sort"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/rke2/config/notation"
)

// ReasonNotProvisioned marks a Cluster object without its own configuration: an imported or
// hosted cluster, or the mirror of a cluster that Rancher keeps elsewhere.
const ReasonNotProvisioned = "NotProvisioned"

// Parse reads a provisioning.cattle.io/v1 Cluster or an rke.cattle.io/v1 RKEControlPlane, decoded
// from JSON. Errors name the field. It returns an error for a Cluster without rkeConfig, which
// was not provisioned as RKE2.
func Parse(object map[string]any) (Spec, error) {
	p := parser{object: objectName(object)}
	s := Spec{Object: p.object, Root: "/spec"}
	s.Name = p.text(p.mapping(object, "metadata"), "metadata.", "name")
	spec := p.mapping(object, "spec")
	s.KubernetesVersion = p.text(spec, "spec.", "kubernetesVersion")
	s.PSACT = p.text(spec, "spec.", "defaultPodSecurityAdmissionConfigurationTemplateName")

	at, rke := "spec.", spec
	if object["kind"] != "RKEControlPlane" {
		at, s.Root = "spec.rkeConfig.", "/spec/rkeConfig"
		rke = p.mapping(spec, "rkeConfig")
		if rke == nil && p.err == nil {
			return Spec{}, &fault.Error{
				Class: fault.Check, Reason: ReasonNotProvisioned, Object: p.object,
				Seen:   "spec.rkeConfig is absent, so Rancher does not provision this cluster (imported or hosted)",
				Wanted: "a cluster that Rancher provisioned with RKE2",
			}
		}
	}
	p.at = at
	s.Global = notation.CopyMap(p.mapping(rke, "machineGlobalConfig"))
	s.Entries = p.entries(rke)
	if v, ok := rke["additionalManifest"]; ok && v != nil {
		s.HasManifest = true
		s.AdditionalManifest = p.text(rke, at, "additionalManifest")
	}
	s.Mirrors = parseMirrors(rke)
	s.Pools = p.pools(rke)
	s.Upgrade = p.upgrade(rke)
	if create := p.mapping(rke, "etcdSnapshotCreate"); create != nil {
		s.SnapshotGeneration = p.number(create, at+"etcdSnapshotCreate.", "generation")
	}
	if p.err != nil {
		return Spec{}, p.err
	}
	return s, nil
}

func objectName(object map[string]any) string {
	kind, _ := object["kind"].(string)
	if kind == "" {
		kind = "Cluster"
	}
	meta, _ := object["metadata"].(map[string]any)
	name, _ := meta["name"].(string)
	if ns, _ := meta["namespace"].(string); ns != "" {
		name = ns + "/" + name
	}
	return strings.TrimSpace(kind + " " + name)
}

// parser keeps the first error, so that the reading code remains a list of fields.
type parser struct {
	object, at string
	err        error
}

func (p *parser) wrong(field string, v any, wanted string) {
	if p.err != nil {
		return
	}
	p.err = &fault.Error{
		Class: fault.Check, Reason: "BadField", Object: p.object,
		Seen: fmt.Sprintf("%s is %s", field, notation.TypeName(v)), Wanted: wanted,
	}
}

func (p *parser) mapping(m map[string]any, key string) map[string]any {
	v, ok := m[key]
	if !ok || v == nil {
		return nil
	}
	out, ok := v.(map[string]any)
	if !ok {
		p.wrong(p.at+key, v, "a map")
	}
	return out
}

func (p *parser) list(m map[string]any, key string) []any {
	v, ok := m[key]
	if !ok || v == nil {
		return nil
	}
	out, ok := v.([]any)
	if !ok {
		p.wrong(p.at+key, v, "a list")
	}
	return out
}

func (p *parser) text(m map[string]any, at, key string) string {
	v, ok := m[key]
	if !ok || v == nil {
		return ""
	}
	out, ok := v.(string)
	if !ok {
		p.wrong(at+key, v, "a string")
	}
	return out
}

func (p *parser) number(m map[string]any, at, key string) int64 {
	switch v := m[key].(type) {
	case nil:
		return 0
	case int64:
		return v
	case int:
		return int64(v)
	case float64:
		return int64(v)
	default:
		p.wrong(at+key, v, "a number")
		return 0
	}
}

func (p *parser) flag(m map[string]any, at, key string) bool {
	v, ok := m[key]
	if !ok || v == nil {
		return false
	}
	out, ok := v.(bool)
	if !ok {
		p.wrong(at+key, v, "true or false")
	}
	return out
}

func (p *parser) entries(rke map[string]any) []Entry {
	list := p.list(rke, "machineSelectorConfig")
	if list == nil {
		return nil
	}
	out := make([]Entry, 0, len(list))
	for i, v := range list {
		at := fmt.Sprintf("%smachineSelectorConfig[%d]", p.at, i)
		raw, ok := v.(map[string]any)
		if !ok {
			p.wrong(at, v, "a map with config and machineLabelSelector")
			continue
		}
		out = append(out, p.entry(at, raw))
	}
	return out
}

func (p *parser) entry(at string, raw map[string]any) Entry {
	e := Entry{RawSelector: notation.Copy(raw["machineLabelSelector"])}
	if v := raw["config"]; v != nil {
		config, ok := v.(map[string]any)
		if !ok {
			p.wrong(at+".config", v, "a map")
		}
		e.Config, e.HasConfig = notation.CopyMap(config), ok
	}
	for k := range raw {
		if k != "config" && k != "machineLabelSelector" {
			e.Strays = append(e.Strays, k)
		}
	}
	sort.Strings(e.Strays)
	if e.RawSelector != nil {
		e.Selector = p.selector(at+".machineLabelSelector", e.RawSelector)
	}
	return e
}

func (p *parser) selector(at string, raw any) *metav1.LabelSelector {
	sel := &metav1.LabelSelector{}
	err := json.Unmarshal(notation.Canonical(raw), sel)
	if err == nil {
		_, err = metav1.LabelSelectorAsSelector(sel)
	}
	if err != nil && p.err == nil {
		p.err = &fault.Error{
			Class: fault.Check, Reason: "BadField", Object: p.object,
			Seen: at + " is no label selector", Wanted: "matchLabels and matchExpressions", Err: err,
		}
	}
	return sel
}
