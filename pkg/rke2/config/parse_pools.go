package config

import "fmt"

func (p *parser) pools(rke map[string]any) []Pool {
	var out []Pool
	for i, v := range p.list(rke, "machinePools") {
		at := fmt.Sprintf("%smachinePools[%d].", p.at, i)
		raw, ok := v.(map[string]any)
		if !ok {
			p.wrong(at[:len(at)-1], v, "a map")
			continue
		}
		pool := Pool{
			Name:                 p.text(raw, at, "name"),
			Quantity:             1, // rancher/rancher: a pool without quantity has one machine
			ControlPlane:         p.flag(raw, at, "controlPlaneRole"),
			Etcd:                 p.flag(raw, at, "etcdRole"),
			Worker:               p.flag(raw, at, "workerRole"),
			OS:                   p.text(raw, at, "machineOS"),
			Paused:               p.flag(raw, at, "paused"),
			UnhealthyNodeTimeout: p.text(raw, at, "unhealthyNodeTimeout"),
			MaxUnhealthy:         p.text(raw, at, "maxUnhealthy"),
			Labels:               p.labels(raw, at),
			Autoscaled:           raw["autoscalingMinSize"] != nil && raw["autoscalingMaxSize"] != nil,
		}
		if ref, ok := raw["machineConfigRef"].(map[string]any); ok {
			pool.ConfigKind, pool.ConfigName = p.text(ref, at+"machineConfigRef.", "kind"), p.text(ref, at+"machineConfigRef.", "name")
		}
		if raw["quantity"] != nil {
			pool.Quantity = p.number(raw, at, "quantity")
		}
		if pool.OS == "" {
			pool.OS = "linux"
		}
		out = append(out, pool)
	}
	return out
}

func (p *parser) labels(raw map[string]any, at string) map[string]string {
	v := raw["labels"]
	if v == nil {
		return nil
	}
	m, ok := v.(map[string]any)
	if !ok {
		p.wrong(at+"labels", v, "a map of strings")
		return nil
	}
	out := map[string]string{}
	for k := range m {
		out[k] = p.text(m, at+"labels.", k)
	}
	return out
}

func (p *parser) upgrade(rke map[string]any) UpgradeStrategy {
	raw := p.mapping(rke, "upgradeStrategy")
	at := p.at + "upgradeStrategy."
	return UpgradeStrategy{
		ControlPlaneConcurrency: p.text(raw, at, "controlPlaneConcurrency"),
		WorkerConcurrency:       p.text(raw, at, "workerConcurrency"),
		ControlPlaneDrain:       p.drain(raw, at, "controlPlaneDrainOptions"),
		WorkerDrain:             p.drain(raw, at, "workerDrainOptions"),
	}
}

func (p *parser) drain(strategy map[string]any, at, key string) Drain {
	v := strategy[key]
	if v == nil {
		return Drain{}
	}
	raw, ok := v.(map[string]any)
	if !ok {
		p.wrong(at+key, v, "a map")
		return Drain{}
	}
	at += key + "."
	hooks := func(key string) int {
		list, ok := raw[key].([]any)
		if !ok && raw[key] != nil {
			p.wrong(at+key, raw[key], "a list")
		}
		return len(list)
	}
	return Drain{
		Enabled:         p.flag(raw, at, "enabled"),
		IgnoreErrors:    p.flag(raw, at, "ignoreErrors"),
		DeleteEmptyDirs: p.flag(raw, at, "deleteEmptyDirData"),
		TimeoutSeconds:  p.number(raw, at, "timeout"),
		PreDrainHooks:   hooks("preDrainHooks"),
		PostDrainHooks:  hooks("postDrainHooks"),
	}
}
