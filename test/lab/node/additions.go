package node

import (
	"path"
	"strings"
	"time"
)

// Addition describes an argument or a file that the lab adds to what RKE2 or a chart renders.
type Addition struct {
	Component string // process kind, or "any process"
	Flag      string // flag, variable or rewriting, with <placeholders>
	Why       string
}

// Additions returns all additions, in the order in which they are made. Mirror pods and pod
// specs never show them.
func Additions() []Addition {
	var out []Addition
	for _, a := range additions() {
		out = append(out, a.Addition)
	}
	return out
}

// local holds the values from which the lab's additions are computed, for one start of one
// process.
type local struct {
	Root        string // folder that represents the machine's "/"
	IP          string
	EtcdServers string
	EtcdPrefix  string
	TokenFile   string
	AuditLog    string
	AuditPolicy string
	CloudConfig string // merged cloud config, or empty if the process uses no cloud
	IMDSURL     string
	Kubeconfig  string // of a pod's service account
	WebhookIP   string // empty if the program serves no webhooks
	Leases      LeaseTiming
}

// LeaseTiming shortens leader election for suites that do not measure gaps. Zero values keep
// the component's own 15 s, 10 s and 2 s.
type LeaseTiming struct {
	Duration, RenewDeadline, RetryPeriod time.Duration
}

type addition struct {
	Addition
	drop []string                               // removed flags: they collect values instead of keeping the last
	args func(l local, given []string) []string // appended, so they win
	env  func(l local) []string
}

const awsCCM = "aws-cloud-controller-manager"

func additions() []addition {
	flag := func(component, flag, why string, args func(local, []string) []string) addition {
		return addition{Addition: Addition{component, flag, why}, args: args}
	}
	set := func(value func(local) string, name string) func(local, []string) []string {
		return func(l local, _ []string) []string {
			if value(l) == "" {
				return nil
			}
			return []string{"--" + name + "=" + value(l)}
		}
	}
	ip := func(l local) string { return l.IP }
	cloud := func(l local) string { return l.CloudConfig }
	out := []addition{
		flag("any process", "paths under "+strings.Join(machinePaths(), ", ")+" and mount paths → the machine's folder",
			"many machines share one file system", nil),
		flag(KubeAPIServer, "--bind-address=<machine's loopback address>", "6443 is the real port on every machine", set(ip, "bind-address")),
		{
			Addition: Addition{KubeAPIServer, "--etcd-servers=<lab etcd>, --etcd-prefix=…, instead of --etcd-servers, --etcd-cafile, --etcd-certfile, --etcd-keyfile",
				"one etcd without TLS serves the lab"},
			drop: []string{"etcd-servers", "etcd-cafile", "etcd-certfile", "etcd-keyfile"}, args: etcdArguments,
		},
		{
			Addition: Addition{KubeAPIServer, "without --egress-selector-config-file", "no tunnel to agents"},
			drop:     []string{"egress-selector-config-file"},
		},
		flag(KubeAPIServer, "--token-auth-file=<lab users>", "users admin, operator, viewer, rancher",
			set(func(l local) string { return l.TokenFile }, "token-auth-file")),
		flag(KubeAPIServer, "--audit-log-path=<file>, --audit-policy-file=<metadata level>", "the observer reads who wrote what", auditArguments),
	}
	for _, component := range []string{KubeControllerManager, KubeScheduler, awsCCM} {
		out = append(out, flag(component, "--bind-address=<machine's loopback address>", "the real port on every machine", set(ip, "bind-address")))
		out = append(out, flag(component, "--leader-elect-lease-duration=…, --leader-elect-renew-deadline=…, --leader-elect-retry-period=…",
			"only where the lab was started with short leases and the user set none", leaseArguments))
	}
	for _, component := range []string{KubeControllerManager, awsCCM} {
		out = append(out,
			flag(component, "--cloud-config=<the given one with [ServiceOverride] for ec2 and elasticloadbalancing>",
				"AWS's address, one per process start", set(cloud, "cloud-config")),
			addition{Addition: Addition{component, "AWS_EC2_METADATA_SERVICE_ENDPOINT=<machine's metadata service>; AWS credentials of the caller's environment cleared",
				"169.254.169.254 is one address per machine, and credentials come from its role"}, env: metadataEnvironment})
	}
	out = append(out, flag(awsCCM, "--webhook-bind-address=<machine's loopback address>", "port 10260 of v1.28 and later is the real one on every machine",
		set(func(l local) string { return l.WebhookIP }, "webhook-bind-address")))
	return append(out, flag(awsCCM, "--kubeconfig, --authentication-kubeconfig, --authorization-kubeconfig=<file with the pod's own token>",
		"stands for /var/run/secrets/kubernetes.io/serviceaccount", kubeconfigArguments))
}

// localize returns the arguments that really run: the given ones with the machine's paths and
// the lab's additions.
func localize(component string, given []string, l local) (args, env []string) {
	dropped := map[string]bool{}
	for _, a := range additions() {
		for _, name := range a.drop {
			dropped[name] = dropped[name] || a.Component == component
		}
	}
	for _, argument := range given {
		name, _, _ := strings.Cut(strings.TrimLeft(argument, "-"), "=")
		if !dropped[name] {
			args = append(args, machinePath(l.Root, argument))
		}
	}
	for _, a := range additions() {
		if a.Component != component {
			continue
		}
		if a.args != nil {
			args = append(args, a.args(l, given)...)
		}
		if a.env != nil {
			env = append(env, a.env(l)...)
		}
	}
	return args, env
}

func machinePaths() []string {
	return []string{"/var/lib/rancher", "/etc/rancher", "/var/lib/kubelet", "/etc/kubernetes"}
}

// machinePath puts a flag's value under root if it is one of the machine's paths.
func machinePath(root, argument string) string {
	flag, value, given := strings.Cut(argument, "=")
	if !given {
		flag, value = "", argument
	} else {
		flag += "="
	}
	for _, prefix := range machinePaths() {
		if value == prefix || strings.HasPrefix(value, prefix+"/") {
			return flag + path.Join(root, value)
		}
	}
	return argument
}

func etcdArguments(l local, _ []string) []string {
	args := []string{"--etcd-servers=" + l.EtcdServers}
	if l.EtcdPrefix != "" {
		args = append(args, "--etcd-prefix="+l.EtcdPrefix)
	}
	return args
}

func auditArguments(l local, _ []string) []string {
	if l.AuditLog == "" {
		return nil
	}
	return []string{"--audit-log-path=" + l.AuditLog, "--audit-policy-file=" + l.AuditPolicy}
}

func leaseArguments(l local, given []string) []string {
	var args []string
	for _, flag := range []struct {
		name  string
		value time.Duration
	}{
		{"leader-elect-lease-duration", l.Leases.Duration},
		{"leader-elect-renew-deadline", l.Leases.RenewDeadline},
		{"leader-elect-retry-period", l.Leases.RetryPeriod},
	} {
		if _, set := lastFlag(given, flag.name); !set && flag.value > 0 {
			args = append(args, "--"+flag.name+"="+flag.value.String())
		}
	}
	return args
}

func metadataEnvironment(l local) []string {
	if l.IMDSURL == "" {
		return nil
	}
	return []string{
		"AWS_EC2_METADATA_SERVICE_ENDPOINT=" + l.IMDSURL,
		"AWS_ACCESS_KEY_ID=", "AWS_SECRET_ACCESS_KEY=", "AWS_SESSION_TOKEN=", "AWS_PROFILE=",
		"AWS_SHARED_CREDENTIALS_FILE=/dev/null", "AWS_CONFIG_FILE=/dev/null",
	}
}

func kubeconfigArguments(l local, given []string) []string {
	var args []string
	for _, name := range []string{"kubeconfig", "authentication-kubeconfig", "authorization-kubeconfig"} {
		if _, set := lastFlag(given, name); !set && l.Kubeconfig != "" {
			args = append(args, "--"+name+"="+l.Kubeconfig)
		}
	}
	return args
}
