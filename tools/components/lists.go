package main

import (
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
)

// argumentList is the command line of one component.
type argumentList struct {
	Component string   `json:"-"`
	Args      []string `json:"args"`
	changes   int      // how many of the last arguments were added
}

// composed returns what RKE2 gives every release of a component, as far as the parser cares
// (k3s-io/k3s:pkg/daemons/control/server.go and agent/agent_linux.go, release 1.26, with
// rancher/rke2:pkg/rke2/rke2_linux.go). Arguments of some releases alone are left to chance.
func composed(program string) []string {
	return strings.Fields(map[string]string{
		"kube-apiserver": "--advertise-address=10.0.0.4 --allow-privileged=true --anonymous-auth=false --authorization-mode=Node,RBAC --bind-address=0.0.0.0 " +
			"--client-ca-file=/tls/client-ca.crt --enable-admission-plugins=NodeRestriction --enable-aggregator-routing=true --enable-bootstrap-token-auth=true " +
			"--etcd-servers=https://127.0.0.1:2379 --profiling=false --requestheader-allowed-names=system:auth-proxy --secure-port=6443 " +
			"--service-account-issuer=https://kubernetes.default.svc.cluster.local --service-cluster-ip-range=10.43.0.0/16 --service-node-port-range=30000-32767 --storage-backend=etcd3",
		"kube-controller-manager": "--allocate-node-cidrs=true --bind-address=127.0.0.1 --cluster-cidr=10.42.0.0/16 --controllers=*,tokencleaner --profiling=false " +
			"--root-ca-file=/tls/server-ca.crt --secure-port=10257 --service-cluster-ip-range=10.43.0.0/16 --use-service-account-credentials=true",
		"kube-scheduler": "--bind-address=127.0.0.1 --kubeconfig=/cred/scheduler.kubeconfig --profiling=false --secure-port=10259",
		"kube-proxy":     "--cluster-cidr=10.42.0.0/16 --conntrack-max-per-core=0 --hostname-override=cp-0 --kubeconfig=/agent/kubeproxy.kubeconfig --proxy-mode=iptables",
		"kubelet": "--address=0.0.0.0 --anonymous-auth=false --authorization-mode=Webhook --cgroup-driver=systemd --cluster-dns=10.43.0.10 --cluster-domain=cluster.local " +
			"--eviction-hard=imagefs.available<5%,nodefs.available<5% --fail-swap-on=false --hostname-override=cp-0 --read-only-port=0 --serialize-image-pulls=false",
	}[program])
}

// listMaker makes argument lists from a seeded source of chance.
type listMaker struct {
	r     *rand.Rand
	flags []string // "kubelet v", of every version
	kinds map[string]string
	gates []string
}

func newListMaker(sources []source, seed uint64) listMaker {
	m := listMaker{r: rand.New(rand.NewPCG(seed, 1)), kinds: map[string]string{}} //nolint:gosec // chance that repeats
	gates := map[string]bool{"NoSuchGate": true}
	for _, s := range sources {
		maps.Copy(m.kinds, s.flags)
		for gate := range s.gates {
			gates[gate] = true
		}
	}
	m.flags, m.gates = slices.Sorted(maps.Keys(m.kinds)), slices.Sorted(maps.Keys(gates))
	return m
}

// next returns a composed list with one to four changes.
func (m listMaker) next() argumentList {
	program := pick(m.r, programs())
	list := argumentList{Component: program, Args: composed(program)}
	for range 1 + m.r.IntN(4) {
		list.Args = append(list.Args, m.change(program))
		list.changes++
	}
	return list
}

// change returns an argument that a user may add.
func (m listMaker) change(program string) string {
	switch n := m.r.IntN(20); {
	case n < 5:
		return "--feature-gates=" + m.gateList()
	case n < 7:
		return "--cloud-provider=" + pick(m.r, []string{"aws", "external", "gce", "azure", "vsphere", "", "openstack"})
	case n < 8:
		return "--no-such-flag=" + pick(m.r, []string{"true", "1"})
	}
	var own []string
	for _, flag := range m.flags {
		if owner, name, _ := strings.Cut(flag, " "); owner == program && !exits(name) && judged(m.kinds[flag]) {
			own = append(own, flag)
		}
	}
	flag := pick(m.r, own)
	_, name, _ := strings.Cut(flag, " ")
	if m.r.IntN(8) == 0 {
		name = strings.ReplaceAll(name, "-", "_")
	}
	return "--" + name + "=" + m.value(m.kinds[flag])
}

// judged reports whether pkg/verify/component judges the values of a type.
func judged(kind string) bool {
	return slices.Contains([]string{"bool", "int", "int32", "int64", "uint", "uint64", "float32", "float64", "duration", "ip", "Level", "string", "stringSlice", "stringArray"}, kind)
}

// exits reports whether a flag ends the component or replaces its gates' version.
func exits(name string) bool {
	return slices.Contains([]string{"help", "version", "feature-gates", "emulated-version", "emulation-forward-compatible", "min-compatibility-version"}, name)
}

func (m listMaker) gateList() string {
	var pairs []string
	for range 1 + m.r.IntN(3) {
		gate := pick(m.r, m.gates)
		if m.r.IntN(5) == 0 {
			gate = pick(m.r, []string{"AllBeta", "AllAlpha", "DisableCloudProviders", "DisableKubeletCloudCredentialProviders"})
		}
		pairs = append(pairs, gate+"="+pick(m.r, []string{"true", "false", "false", "True", "0"}))
	}
	if m.r.IntN(20) == 0 {
		pairs = append(pairs, pick(m.r, []string{"CPUManager", "CPUManager=maybe", ""}))
	}
	return strings.Join(pairs, ",")
}

// value returns a value for a flag of a type, which it may not be able to hold.
func (m listMaker) value(kind string) string {
	switch {
	case kind == "ip": // an empty text or blanks around an address depend on the version and the flag
		return pick(m.r, []string{"10.0.0.1", "::1", "maybe", "10.0.0.300"})
	case kind == "Level": // negative ones depend on the version
		return pick(m.r, []string{"2", "0", "maybe", "1.5", "0x1F", "5000000000"})
	case m.r.IntN(3) == 0:
		return pick(m.r, []string{"maybe", "", "7", "1.5", "true", "-3", "10s", "70000", "5000000000", "0x1F", "1h", "a=b", "10.0.0.1"})
	}
	return pick(m.r, map[string][]string{
		"bool": {"true", "false", "1", "F"}, "duration": {"10s", "1h30m", "0"},
		"string": {"text", ""},
	}[kind], "7", "1")
}

// pick returns one of the texts.
func pick(r *rand.Rand, texts []string, more ...string) string {
	all := append(slices.Clone(texts), more...)
	return all[r.IntN(len(all))]
}

// added returns the arguments that were added to what RKE2 composes.
func (l argumentList) added() string {
	return strings.Join(l.Args[len(l.Args)-l.changes:], " ")
}

func programs() []string {
	return []string{"kube-apiserver", "kube-controller-manager", "kube-scheduler", "kube-proxy", "kubelet"}
}

// fixedLists returns what a migration leaves behind, and RKE2's own arguments alone.
func fixedLists() []argumentList {
	var lists []argumentList
	for _, program := range programs() {
		lists = append(lists, argumentList{Component: program, Args: composed(program)})
	}
	gates := "--feature-gates="
	for _, added := range []string{"--cloud-provider=aws", "--cloud-provider=external", "--cloud-provider=aws --cloud-provider=external",
		"--cloud-provider=external " + gates + "AllBeta=false", "--cloud-provider=external " + gates + "DisableCloudProviders=false",
		"--cloud-provider=external " + gates + "DisableKubeletCloudCredentialProviders=false", gates + "AllBeta=false",
		gates + "AllAlpha=true", gates + "AllAlpha=true,AllBeta=true"} {
		for _, program := range []string{"kube-apiserver", "kube-controller-manager", "kubelet"} {
			args := strings.Fields(added)
			lists = append(lists, argumentList{Component: program, Args: append(composed(program), args...), changes: len(args)})
		}
	}
	return lists
}
