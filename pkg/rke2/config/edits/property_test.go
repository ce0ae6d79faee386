package edits

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/rke2/config"
	"github.com/awsmigrate/awsmigrate/pkg/rke2/config/notation"
)

// world is a random cluster with machines of several pools, and keys in random places and
// notations.
type world struct {
	rke      map[string]any
	machines []config.Machine
}

func randomWorld(r *rand.Rand) world {
	w := world{rke: map[string]any{}}
	for i := range 1 + r.IntN(3) {
		w.machines = append(w.machines, machine(fmt.Sprintf("cp-%d", i), []string{"c", "ce", "cew"}[r.IntN(3)], "pool", pool(r)))
	}
	for i := range r.IntN(4) {
		w.machines = append(w.machines, machine(fmt.Sprintf("m-%d", i), []string{"e", "w", "ew"}[r.IntN(3)], "pool", pool(r)))
	}
	if r.IntN(5) > 0 {
		w.rke["machineGlobalConfig"] = randomConfig(r)
	}
	if r.IntN(5) > 0 {
		list := []any{}
		for range r.IntN(5) {
			entry := map[string]any{}
			if r.IntN(8) > 0 {
				entry["config"] = randomConfig(r)
			}
			if sel := randomSelector(r); sel != nil {
				entry["machineLabelSelector"] = sel
			}
			list = append(list, entry)
		}
		w.rke["machineSelectorConfig"] = list
	}
	if r.IntN(2) == 0 {
		// In most clusters all machines agree on the provider: a last entry sets it.
		list, _ := w.rke["machineSelectorConfig"].([]any)
		w.rke["machineSelectorConfig"] = append(list, map[string]any{"config": map[string]any{config.KeyProvider: pickOne(r, "aws", "aws", "external")}})
	}
	return w
}

func pool(r *rand.Rand) string { return pickOne(r, "a", "b", "c") }

func pickOne[T any](r *rand.Rand, from ...T) T { return from[r.IntN(len(from))] }

func randomSelector(r *rand.Rand) any {
	role := pickOne(r, config.LabelControlPlane, config.LabelEtcd, config.LabelWorker)
	return pickOne[any](r, nil, nil, map[string]any{},
		map[string]any{"matchLabels": map[string]any{"pool": pool(r)}},
		map[string]any{"matchLabels": map[string]any{role: "true"}},
		map[string]any{"matchExpressions": []any{map[string]any{"key": role, "operator": "In", "values": []any{"true"}}}},
		map[string]any{"matchExpressions": []any{map[string]any{"key": role, "operator": "DoesNotExist"}}})
}

func randomConfig(r *rand.Rand) map[string]any {
	c := map[string]any{}
	set := func(odds int, key string, value func() any) {
		if r.IntN(odds) == 0 {
			c[key] = value()
		}
	}
	set(3, config.KeyProvider, func() any { return pickOne[any](r, "aws", "aws", "aws", " aws\n", "external", nil) })
	set(4, config.KeyKubeletArg, func() any { return randomArgs(r) })
	set(3, config.KeyManagerArg, func() any { return randomArgs(r) })
	set(3, config.KeyAPIServerArg, func() any { return randomArgs(r) })
	set(4, config.KeyDisableCCM, func() any { return pickOne[any](r, true, false, "true", "false", nil, "maybe", "true ", " false") })
	set(4, "protect-kernel-defaults", func() any { return pickOne[any](r, true, "yes", 3) })
	set(5, "tls-san", func() any { return []any{"a", "b"} })
	set(9, config.KeyCloudConfig, func() any { return "secret://fleet-default:aws" })
	return c
}

// padded returns one of the texts, sometimes with surrounding blanks, which RKE2 trims.
func padded(r *rand.Rand, from ...string) string {
	return pickOne(r, "", "", "", "", " ", "\t") + pickOne(r, from...) + pickOne(r, "", "", "", "", " ", "\n")
}

func randomArgs(r *rand.Rand) any {
	one := func() string {
		return padded(r, "v=2", "v=4", "feature-gates=A=true,B=false", "--max-pods=250", "x", config.FlagLeaderMigration,
			"--enable-leader-migration=false", argExternal, "cloud-provider=aws", "cloud_provider=aws", "cloud-provider-=aws")
	}
	switch r.IntN(8) {
	case 0:
		return one()
	case 1:
		return pickOne[any](r, "", nil, []any{}, map[string]any{"v": 1}, 7, true, []any{nil, "v=1"})
	default:
		list := []any{}
		for range r.IntN(4) {
			list = append(list, one())
		}
		return list
	}
}

// TestEdits_randomClusters_intendedChangeOnly checks the promise of this package. An edit is
// refused with a reason, or it makes exactly the intended change to each machine's effective
// configuration. Its inverse restores every byte.
func TestEdits_randomClusters_intendedChangeOnly(t *testing.T) {
	made := map[string]int{}
	for seed := range uint64(2500) {
		r := rand.New(rand.NewPCG(seed, 1))
		w := randomWorld(r)
		s := parse(t, w.rke)
		for _, name := range []string{"enable", "disable", "external", "overrides", "back"} {
			e, err := compute(name, s, w.machines)
			if err != nil {
				if f, ok := fault.As(err); !ok || f.Class != fault.Check || f.Seen == "" || f.Object == "" {
					t.Fatalf("seed %d, %s: %v", seed, name, err)
				}
				if f, _ := fault.As(err); f.Reason == "NoSafePlace" {
					t.Fatalf("seed %d, %s: an edit went wrong and was only caught at the end: %v", seed, name, err)
				}
				continue
			}
			made[name]++
			checkEdit(t, w.rke, s, e)
			after, err := e.Apply(s)
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range w.machines {
				checkMachine(t, name, config.Effective(s, m).Values(), config.Effective(after, m).Values(), m)
			}
			same(t, "kube-apiserver-arg everywhere", everywhere(after, config.KeyAPIServerArg), everywhere(s, config.KeyAPIServerArg))
			if t.Failed() {
				t.Fatalf("seed %d, %s, of %s:\n%s", seed, name, notation.Canonical(w.rke), e.Diff())
			}
		}
	}
	for _, name := range []string{"enable", "disable", "external", "overrides", "back"} {
		if made[name] < 40 {
			t.Errorf("only %d edits %q were made, the generator refuses too much", made[name], name)
		}
	}
}

// checkMachine defines independently what each edit may change on one machine.
func checkMachine(t *testing.T, name string, before, after map[string]any, m config.Machine) {
	t.Helper()
	args := func(c map[string]any, key string) []string { return notation.Args(c[key]) }
	for _, key := range []string{"protect-kernel-defaults", "tls-san", config.KeyCloudConfig, config.KeyAPIServerArg, "cni"} {
		if !notation.Equal(before[key], after[key]) {
			t.Errorf("%s: %s changed from %s to %s", m.Name, key, notation.Canonical(before[key]), notation.Canonical(after[key]))
		}
	}
	for _, key := range []string{config.KeyKubeletArg, config.KeyManagerArg} {
		keep := func(list []string) []string {
			return slices.DeleteFunc(slices.Clone(list), func(a string) bool { return isLeaderMigration(a) || strings.TrimSpace(a) == argExternal })
		}
		if b, a := keep(args(before, key)), keep(args(after, key)); !slices.Equal(b, a) {
			t.Errorf("%s: %s lost or gained others' arguments: %v, %v", m.Name, key, b, a)
		}
	}
	text := func(key string) string { return strings.TrimSpace(fmt.Sprint(after[key])) }
	manager, _ := notation.Last(args(after, config.KeyManagerArg), config.FlagProvider)
	kubelet, _ := notation.Last(args(after, config.KeyKubeletArg), config.FlagProvider)
	switch {
	case name == "enable" && m.ControlPlane() && !notation.On(args(after, config.KeyManagerArg), config.FlagLeaderMigration):
		t.Errorf("%s: no flag", m.Name)
	case (name == "external" || name == "overrides") && m.ControlPlane() && strings.Contains(fmt.Sprint(args(after, config.KeyManagerArg)), "leader"):
		t.Errorf("%s: the flag is still there", m.Name)
	case name == "external" && text(config.KeyProvider) != "external":
		t.Errorf("%s: provider %v", m.Name, after[config.KeyProvider])
	case name == "overrides" && (!notation.Equal(before[config.KeyProvider], after[config.KeyProvider]) || kubelet != "external" || (m.ControlPlane() && manager != "external")):
		t.Errorf("%s: provider %v, kubelet %q, manager %q", m.Name, after[config.KeyProvider], kubelet, manager)
	case (name == "external" || name == "overrides") && m.Server() && text(config.KeyDisableCCM) != "true":
		t.Errorf("%s: disable-cloud-controller %v", m.Name, after[config.KeyDisableCCM])
	case name == "back" && text(config.KeyProvider) != "aws":
		t.Errorf("%s: provider %v", m.Name, after[config.KeyProvider])
	}
}

func everywhere(s config.Spec, key string) []any {
	var out []any
	for _, p := range s.AllPlaces() {
		if v, ok := s.ValuesAt(p)[key]; ok {
			out = append(out, v)
		}
	}
	return out
}
