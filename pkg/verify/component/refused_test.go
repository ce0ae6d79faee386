package component

import (
	_ "embed"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
)

func TestRefusedArguments_flag_minorsThatLackIt(t *testing.T) {
	for _, c := range []struct {
		program, flag, value string
		from, to             int // the minors that know it
	}{
		{"kube-controller-manager", "pod-eviction-timeout", "1m", 22, 26}, {Kubelet, "container-runtime", "remote", 22, 26},
		{Scheduler, "lock-object-name", "x", 22, 27}, {Proxy, "proxy-port-range", "1-2", 22, 30}, {Proxy, "housekeeping-interval", "10s", 99, 99}, {"kube-apiserver", "cloud-config", "", 22, 32},
		{"kube-apiserver", "cloud-provider", "", 22, 32}, {"kube-controller-manager", "cloud-provider", "external", 22, 37},
		{Kubelet, "cloud-config", "", 22, 33}, {Kubelet, "pod-infra-container-image", "x", 22, 34}, {Kubelet, "cloud-provider", "external", 22, 37},
		{Kubelet, "image-credential-provider-config", "/x", 22, 37}, {Kubelet, "network-plugin", "cni", 22, 23}, {Kubelet, "max-pods", "250", 22, 37},
		{Kubelet, "pod-eviction-timeout", "1m", 99, 99}, {"kube-apiserver", "insecure-port", "0", 22, 23}, {"kube-controller-manager", "port", "0", 22, 23},
		{Kubelet, "dynamic-config-dir", "/x", 22, 23}, {"kube-apiserver", "kubeconfig", "/x", 99, 99},
	} {
		for minor := 22; minor <= 37; minor++ {
			want := c.from > minor || minor > c.to
			if got := RefusedArguments(c.program, []Argument{{c.flag, c.value}}, Version{1, minor, 0}); (len(got) > 0) != want {
				t.Errorf("%s --%s=%s at 1.%d: %v", c.program, c.flag, c.value, minor, got)
			}
		}
	}
	if got := RefusedArguments("etcd", []Argument{{"no-such-flag", "1"}}, Version{1, 27, 0}); got != nil {
		t.Errorf("etcd: %v", got)
	}
	if got := RefusedArguments(Kubelet, []Argument{{"no-such-flag", "1"}}, Version{1, 21, 14}); got != nil {
		t.Errorf("before the table: %v", got)
	}
}

func TestRefused_gates_unknownOrLocked(t *testing.T) {
	gates := ParseGates("EphemeralContainers=true,DisableCloudProviders=false,AllBeta=false,RotateKubeletServerCertificate=true")
	const removed, unknown = "{feature-gates EphemeralContainers %s does not know it and exits}", "{feature-gates DisableCloudProviders %s does not know it and exits}"
	for version, want := range map[string]string{
		"1.26.15": "[]",
		"1.27.16": "[" + fmt.Sprintf(removed, "1.27.16") + "]",
		"1.31.3":  "[{feature-gates DisableCloudProviders=false 1.31.3 has it locked on and exits} " + fmt.Sprintf(removed, "1.31.3") + "]",
		"1.33.0":  "[" + fmt.Sprintf(unknown, "1.33.0") + " " + fmt.Sprintf(removed, "1.33.0") + "]",
	} {
		v, err := ParseVersion(version)
		if got := fmt.Sprint(gates.Refused(Kubelet, v)); err != nil || got != want {
			t.Errorf("%s: %s, want %s", version, got, want)
		}
	}
}

func TestRefused_gate_componentsThatLackIt(t *testing.T) {
	for _, c := range []struct {
		gate, version string
		know          []string
	}{
		{"IPv6DualStack", "1.24.17", Programs()},
		{"IPv6DualStack", "1.25.16", []string{"kube-controller-manager"}},
		{"ContextualLogging", "1.25.16", []string{"kube-apiserver", "kube-controller-manager", Scheduler, Kubelet}},
		{"ControllerManagerReleaseLeaderElectionLockOnExit", "1.36.3", []string{"kube-apiserver", "kube-controller-manager", Proxy, Kubelet}},
	} {
		v, err := ParseVersion(c.version)
		if err != nil {
			t.Fatal(err)
		}
		for _, program := range Programs() {
			want := fmt.Sprintf("[{feature-gates %s %s does not know it and exits}]", c.gate, c.version)
			if slices.Contains(c.know, program) {
				want = "[]"
			}
			if got := fmt.Sprint(RefusedArguments(program, []Argument{{FeatureGates, c.gate + "=true"}}, v)); got != want {
				t.Errorf("%s %s of %s: %s, want %s", program, c.gate, c.version, got, want)
			}
		}
	}
}

// Patch releases get gates that the first of their minor lack.
func TestRefused_gate_patchesThatLackIt(t *testing.T) {
	for _, c := range []struct{ gate, version, first string }{
		{"UnauthenticatedHTTP2DOSMitigation", "1.27.6", "1.27.0"},
		{"UnauthenticatedHTTP2DOSMitigation", "1.27.7", ""},
		{"SeparateCacheWatchRPC", "1.28.7", "1.28.3"},
		{"SeparateCacheWatchRPC", "1.28.8", ""},
		{"SeparateCacheWatchRPC", "1.29.2", "1.29.0"},
		{"SeparateCacheWatchRPC", "1.29.3", ""},
		{"SeparateCacheWatchRPC", "1.31.0", ""},
		{"OrderedNamespaceDeletion", "1.32.2", "1.32.0"},
		{"OrderedNamespaceDeletion", "1.32.14", ""},
		{"OrderedNamespaceDeletion", "1.32", "1.32.0"},
	} {
		v, err := ParseVersion(c.version)
		if err != nil {
			t.Fatal(err)
		}
		got := RefusedArguments(Kubelet, []Argument{{FeatureGates, c.gate + "=true"}}, v)
		if (len(got) > 0) != (c.first != "") {
			t.Errorf("%s of %s: %v", c.gate, c.version, got)
		}
		if first := FirstNamed(v).String(); c.first != "" && first != c.first {
			t.Errorf("the names of %s begin with %s, want %s", v, first, c.first)
		}
	}
	if got := (Version{1, 27, 16}).NextMinor(); got.String() != "1.28" || len(RefusedArguments(Kubelet, []Argument{{FeatureGates, "SeparateCacheWatchRPC=true"}}, got)) > 0 {
		t.Errorf("the last patch release of 1.28 is %s", got)
	}
}

func TestNames_table_sortedAndCovered(t *testing.T) {
	covered := tableRange()
	if covered.first != (Version{1, 22, 0}) || !covered.last.AtLeast(1, 36) {
		t.Errorf("the table covers %+v", covered)
	}
	var keys []string
	for line := range strings.Lines(nameTable) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		key, pieces, ok := strings.Cut(strings.TrimSuffix(line, "\n"), ": ")
		if !ok {
			t.Errorf("%q", line)
		}
		keys = append(keys, key)
		end := Version{1, 21, anyPatch}
		for _, piece := range strings.Split(pieces, ", ") {
			in := parseRange(strings.Fields(piece)[0])
			if !end.before(in.first) || in.last.before(in.first) || covered.last.before(in.last) {
				t.Errorf("%q: %+v", line, in)
			}
			end = in.last
		}
	}
	if !slices.IsSorted(keys) || len(slices.Compact(slices.Clone(keys))) != len(keys) || len(keys) < 900 || len(nameTable) > 150<<10 {
		t.Errorf("%d keys, %d bytes", len(keys), len(nameTable))
	}
}

// verdicts holds argument lists with the first refusal of the component's own parser, as
// `components lists` writes them: version, component, arguments, refusal.
//
//go:embed testdata/verdicts.tsv
var verdicts string

func TestRefusedArguments_randomLists_parsersVerdict(t *testing.T) {
	count, text := 0, verdicts
	if more := os.Getenv("AWSMIGRATE_VERDICTS"); more != "" { // a longer file, by hand
		data, err := os.ReadFile(more)
		if err != nil {
			t.Fatal(err)
		}
		text = string(data)
	}
	for line := range strings.Lines(text) {
		fields := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		v, err := ParseVersion(fields[0])
		if err != nil {
			t.Fatal(err)
		}
		count++
		var list []string
		if fields[2] != "" {
			list = strings.Split(fields[2], " --")
		}
		if got := verdictOf(fields[1], list, v); !agree(fields[3], got) {
			t.Errorf("%s %s %s: %q, its parser refuses %q", fields[0], fields[1], fields[2], got, fields[3])
		}
	}
	if t.Logf("%d lists", count); count < 500 {
		t.Error("too few lists")
	}
}

func verdictOf(program string, list []string, v Version) []string {
	var args []Argument
	var gates []string
	provider := ""
	for _, arg := range list {
		flag, value, _ := strings.Cut(strings.TrimPrefix(arg, "--"), "=")
		flag = strings.ReplaceAll(flag, "_", "-")
		args = append(args, Argument{flag, value})
		switch flag {
		case CloudProvider:
			provider = value
		case FeatureGates:
			gates = append(gates, value)
		}
	}
	var found []string
	for _, r := range RefusedArguments(program, args, v) {
		found = append(found, r.Seen)
	}
	if why, _ := RefusedProvider(provider, ParseGates(gates...), v); program == "kube-apiserver" && why != "" {
		found = append(found, "rule")
	}
	return found
}

// agree reports whether the parser's only answer, its first refusal, is among all refusals. It names a
// flag that it does not know as it was written.
func agree(parser string, all []string) bool {
	if parser == "" || len(all) == 0 {
		return parser == "" && len(all) == 0
	}
	return slices.ContainsFunc(all, func(seen string) bool {
		return seen == strings.ReplaceAll(parser, "_", "-") || seen == parser || parser == FeatureGates+"=" && strings.HasPrefix(seen, FeatureGates)
	})
}
