package config

import "testing"

// TestMergeVectors shares its cases with the test of the lab's replacement for Rancher, which
// shares no code with this package.
func TestMergeVectors(t *testing.T) {
	var cases []struct {
		Name     string         `json:"name"`
		Source   string         `json:"source"`
		Spec     map[string]any `json:"spec"`
		Machines []struct {
			Name      string            `json:"name"`
			Labels    map[string]string `json:"labels"`
			Effective map[string]any    `json:"effective"`
			Filtered  map[string]any    `json:"filtered"`
		} `json:"machines"`
	}
	readYAML(t, "../../../test/lab/vectors/rke2-merge.yaml", &cases)
	if len(cases) < 20 {
		t.Fatalf("only %d cases were read", len(cases))
	}
	for _, c := range cases {
		t.Run(c.Name, func(t *testing.T) {
			s := parse(t, c.Spec)
			for _, m := range c.Machines {
				got := Effective(s, Machine{Name: m.Name, Labels: m.Labels})
				same(t, m.Name+" merged", merged(got), m.Effective)
				if m.Filtered != nil {
					same(t, m.Name+" filtered", got.Values(), m.Filtered)
				}
			}
		})
	}
}

// TestPoolVectors covers the labels of a pool's machines, with cases shared in the same way.
func TestPoolVectors(t *testing.T) {
	var cases []struct {
		Name    string            `json:"name"`
		Source  string            `json:"source"`
		Cluster string            `json:"cluster"`
		Pool    map[string]any    `json:"pool"`
		Labels  map[string]string `json:"labels"`
	}
	readYAML(t, "../../../test/lab/vectors/rke2-pools.yaml", &cases)
	if len(cases) < 4 {
		t.Fatalf("only %d cases were read", len(cases))
	}
	for _, c := range cases {
		object := cluster(map[string]any{"machinePools": []any{c.Pool}})
		object["metadata"] = map[string]any{"name": c.Cluster}
		s, err := Parse(object)
		if err != nil {
			t.Fatal(err)
		}
		same(t, c.Name, s.PoolMachines()[0].Labels, c.Labels)
	}
}

// merged returns the result of the merge before Rancher drops values.
func merged(c Config) map[string]any {
	out := map[string]any{}
	for k, v := range c {
		out[k] = v.Raw
	}
	return out
}
