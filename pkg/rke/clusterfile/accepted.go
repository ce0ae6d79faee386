package clusterfile

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/awsmigrate/awsmigrate/pkg/rke/clusterfile/yamltext"
)

// Refusal is something for which `rke up` ends before it does anything.
type Refusal struct {
	Line   int // 0: it is about what is not there
	Path   string
	Seen   string
	Wanted string
}

// Refusals are the rules of rke that a text decides alone
// (rancher/rke:cluster/validation.go, ValidateCluster, and cluster/defaults.go
// @v1.5.9). Left out: whether an rke knows a version, since each knows others, the
// options of ACI and certificates. One rule is not rke's: a cluster without a
// control plane has no cloud controllers.
func (f *File) Refusals() []Refusal {
	j := judgement{file: f, whole: f.whole}
	for _, rule := range []func(*judgement){
		(*judgement).version, (*judgement).provider, (*judgement).nodes, (*judgement).roles,
		(*judgement).authentication, (*judgement).network, (*judgement).ingress, (*judgement).services,
	} {
		rule(&j)
	}
	return j.found
}

type judgement struct {
	file  *File
	whole rkeFile
	found []Refusal
}

func (j *judgement) refuse(seen, wanted string, path ...string) {
	j.found = append(j.found, Refusal{j.file.Line(path...), yamltext.Dotted(path), seen, wanted})
}

var rancherVersion = regexp.MustCompile(`^v\d+\.\d+\.\d+-rancher\d+-\d+$`)

// version must be one of rke's metadata, whose names all have this form, unless
// the file names the images itself.
func (j *judgement) version() {
	v := j.whole.KubernetesVersion
	if v == "" || rancherVersion.MatchString(v) {
		return
	}
	wanted := "vX.Y.Z-rancherN-M"
	if !regexp.MustCompile(`^v\d+\.\d+\.\d+([-+].+)?$`).MatchString(v) {
		j.refuse(fmt.Sprintf("%q is no version", v), wanted, "kubernetes_version")
		return
	}
	for _, key := range []string{"etcd", "kubernetes", "pod_infra_container", "alpine", "nginx_proxy", "cert_downloader", "kubernetes_services_sidecar"} {
		if j.whole.SystemImages[key] == "" {
			j.refuse(fmt.Sprintf("%q is no version of Rancher's, and system_images does not name every image", v), wanted, "kubernetes_version")
			return
		}
	}
}

// provider follows cloudprovider/*/*.go@v1.5.9, Init.
func (j *judgement) provider() {
	c := j.whole.CloudProvider
	at := []string{"cloud_provider", "name"}
	blocks := c.others()
	if c.Custom != "" {
		if c.Name == "" {
			j.refuse("customCloudProvider without a name", "a name", "cloud_provider")
		}
		return
	}
	if (refusedWithoutBlock(c.Name) || c.Name == "harvester") && (len(blocks) == 0 || !slices.Contains(blocks, c.Name)) {
		j.refuse(fmt.Sprintf("provider %s without %sCloudProvider", c.Name, c.Name), "its options", at...)
	}
}

func (j *judgement) nodes() {
	addresses, names := map[string]bool{}, map[string]bool{}
	for i, n := range j.whole.Nodes {
		refuse := func(seen, wanted string) {
			line, path := j.file.itemLine("nodes", i), fmt.Sprintf("nodes[%d]", i)
			j.found = append(j.found, Refusal{line, path, seen, wanted})
		}
		override := n.HostnameOverride
		if override == "" {
			override = n.Address
		}
		override = strings.ToLower(override)
		switch {
		case n.Address == "":
			refuse("has no address", "an address")
		case addresses[n.Address]:
			refuse("address "+n.Address+" a second time", "each node once")
		case names[override]:
			refuse("hostname_override "+override+" a second time", "a name of its own for each node")
		case len(validation.IsDNS1123Subdomain(override)) > 0:
			refuse(fmt.Sprintf("hostname_override %q is no DNS name", override), "a DNS name in lower case")
		}
		addresses[n.Address], names[override] = true, true
		if n.User == "" {
			refuse("has no user", "a user")
		}
		if len(n.Role) == 0 {
			refuse("has no role", "controlplane, etcd or worker")
		}
		for _, role := range n.Role {
			if !slices.Contains([]string{"controlplane", "etcd", "worker"}, role) {
				refuse(fmt.Sprintf("role %q", role), "controlplane, etcd or worker")
			}
		}
	}
}

func (j *judgement) roles() {
	has := func(role string) bool {
		return slices.ContainsFunc(j.whole.Nodes, func(n rkeNode) bool { return slices.Contains(n.Role, role) })
	}
	outside := len(j.whole.Services.Etcd.ExternalURLs) > 0
	switch {
	case len(j.whole.Nodes) == 0:
		j.refuse("no nodes", "the machines of the cluster", "nodes")
		return
	case !has("etcd") && !outside:
		j.refuse("no node has the role etcd", "one at least", "nodes")
	case has("etcd") && outside:
		j.refuse("nodes with the role etcd beside services.etcd.external_urls", "one of them", "services", "etcd", "external_urls")
	}
	if !has("controlplane") {
		j.refuse("no node has the role controlplane", "one at least", "nodes")
	}
}

func (j *judgement) authentication() {
	strategies := strings.Split(orDefault(j.whole.Authentication.Strategy, "x509"), "|")
	x509 := false
	for _, one := range strategies {
		one = strings.ToLower(strings.TrimSpace(one))
		x509 = x509 || one == "x509"
		if one != "x509" && one != "webhook" {
			j.refuse(fmt.Sprintf("strategy %q", one), "x509, or x509|webhook", "authentication", "strategy")
		}
	}
	if !x509 {
		j.refuse("x509 is not among the strategies", "x509, or x509|webhook", "authentication", "strategy")
	}
}

func (j *judgement) network() {
	n := j.whole.Network
	plugin := orDefault(n.Plugin, "canal")
	both := strings.Contains(j.whole.Services.KubeAPI.ServiceClusterIPRange, ",") || strings.Contains(j.whole.Services.KubeController.ClusterCIDR, ",")
	switch {
	case !slices.Contains([]string{"none", "flannel", "calico", "canal", "weave", "aci"}, plugin):
		j.refuse(fmt.Sprintf("network plugin %q", plugin), "canal, calico, flannel, weave, aci or none", "network", "plugin")
	case plugin == "flannel" && n.MTU != 0:
		j.refuse("flannel with an MTU", "no mtu", "network", "mtu")
	case both && plugin != "calico" && plugin != "aci":
		j.refuse(plugin+" with two address families", "calico or aci", "network", "plugin")
	}
}

func (j *judgement) ingress() {
	in := j.whole.Ingress
	if !slices.Contains([]string{"", "nginx", "none"}, in.Provider) {
		j.refuse(fmt.Sprintf("ingress provider %q", in.Provider), "nginx or none", "ingress", "provider")
	}
	if !slices.Contains([]string{"", "ClusterFirst", "ClusterFirstWithHostNet", "None", "Default"}, in.DNSPolicy) {
		j.refuse(fmt.Sprintf("DNS policy %q", in.DNSPolicy), "ClusterFirst, ClusterFirstWithHostNet, None or Default", "ingress", "dns_policy")
	}
	if !slices.Contains([]string{"", "hostNetwork", "hostPort", "none"}, in.NetworkMode) {
		j.refuse(fmt.Sprintf("network mode %q", in.NetworkMode), "hostNetwork, hostPort or none", "ingress", "network_mode")
	}
	const highest = 65535
	wrong := func(port int) bool { return port < 0 || port > highest }
	if in.NetworkMode == "hostPort" && (wrong(in.HTTPPort) || wrong(in.HTTPSPort) || in.HTTPPort != 0 && in.HTTPPort == in.HTTPSPort) {
		j.refuse(fmt.Sprintf("ports %d and %d", in.HTTPPort, in.HTTPSPort), "two ports up to 65535", "ingress")
	}
}

func (j *judgement) services() {
	s := j.whole.Services
	if len(s.Etcd.ExternalURLs) > 0 && (s.Etcd.CACert == "" || s.Etcd.Cert == "" || s.Etcd.Key == "" || s.Etcd.Path == "") {
		j.refuse("external_urls without ca_cert, cert, key and path", "all four", "services", "etcd", "external_urls")
	}
	if b := s.Etcd.BackupConfig; b != nil && b.S3 != nil && (b.S3.Endpoint == "" || b.S3.BucketName == "") {
		j.refuse("s3backupconfig without endpoint and bucket_name", "both", "services", "etcd", "backup_config", "s3backupconfig")
	}
	level := s.KubeAPI.PodSecurityConfiguration
	if !slices.Contains([]string{"", "privileged", "restricted"}, level) {
		j.refuse(fmt.Sprintf("pod_security_configuration %q", level), "privileged or restricted", "services", "kube-api", "pod_security_configuration")
	}
	if level != "" && orDefault(j.whole.Authorization.Mode, "rbac") != "rbac" {
		j.refuse("pod_security_configuration without RBAC", "authorization.mode rbac", "services", "kube-api", "pod_security_configuration")
	}
}

func orDefault(s, other string) string {
	if s == "" {
		return other
	}
	return s
}

// itemLine is where an item of a list at top level stands; 0 when it is not there.
func (f *File) itemLine(key string, i int) int {
	for k := 0; k < len(f.doc.Root().Content); k += 2 {
		if list := f.doc.Root().Content[k+1]; f.doc.Root().Content[k].Value == key && i < len(list.Content) {
			return list.Content[i].Line
		}
	}
	return 0
}
