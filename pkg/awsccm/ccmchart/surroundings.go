package ccmchart

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"github.com/awsmigrate/awsmigrate/pkg/verify/downstream"
)

// Surroundings holds the environment and the host's directories of a kube-controller-manager. Its
// AWS client used some of them, and the CCM needs the same. Values may be secret.
type Surroundings struct {
	Env   []Variable
	Binds []Bind
	// Literal reports whether values are used as they are. A kubelet expands references in them.
	Literal bool
}

// Variable is an environment variable.
type Variable struct{ Name, Value string }

// String returns only the name, since the value may be secret.
func (v Variable) String() string { return v.Name }

// GoString returns only the name, since the value may be secret.
func (v Variable) GoString() string { return v.Name }

// Bind is a path of the host in a container.
type Bind struct {
	Host, Path string
	// Usual reports whether the distribution mounts it in every cluster.
	Usual bool
}

// StaticPodSurroundings returns the environment and the host's paths of an RKE2 static pod. They
// are in force, regardless of their source: RKE2's configuration, Rancher's agentEnvVars, or the
// proxy of the service, which RKE2 passes on
// (rancher/rke2:pkg/staticpod/staticpod.go@v1.26.15+rke2r1).
func StaticPodSurroundings(c downstream.Container) Surroundings {
	var s Surroundings
	for _, v := range c.Env {
		s.Env = append(s.Env, Variable{Name: v.Name, Value: v.Value})
	}
	for _, m := range c.Mounts {
		if m.Kind == "HostPath" {
			s.Binds = append(s.Binds, Bind{Host: m.Name, Path: m.Path, Usual: m.Name == m.Path && usualTrust(m.Path)})
		}
	}
	return s
}

// usualTrust reports whether RKE2 mounts a directory of certificates into every static pod
// (rancher/rke2:pkg/podexecutor/staticpod.go@v1.26.15+rke2r1).
func usualTrust(dir string) bool {
	return slices.Contains([]string{"/etc/ssl/certs", "/etc/pki/tls/certs", "/etc/ca-certificates", "/usr/local/share/ca-certificates", "/usr/share/ca-certificates"}, dir)
}

// Merge returns the surroundings of several kube-controller-managers, and the names of variables
// that differ between them. Of those it keeps the first value.
func (s Surroundings) Merge(other Surroundings) (merged Surroundings, differ []string) {
	merged = Surroundings{Env: slices.Clone(s.Env), Binds: slices.Clone(s.Binds), Literal: s.Literal || other.Literal}
	for _, v := range other.Env {
		i := slices.IndexFunc(merged.Env, func(have Variable) bool { return have.Name == v.Name })
		switch {
		case i < 0:
			merged.Env = append(merged.Env, v)
		case merged.Env[i].Value != v.Value && sdkUse(v.Name) != unused:
			differ = append(differ, v.Name)
		}
	}
	for _, b := range other.Binds {
		if !slices.ContainsFunc(merged.Binds, func(have Bind) bool { return have.Path == b.Path }) {
			merged.Binds = append(merged.Binds, b)
		}
	}
	return merged, differ
}

// use describes which AWS clients read a variable.
type use int

const (
	unused use = iota
	both
	onlyV1 // AWS SDK v1, as kube-controller-manager has it
	onlyV2
)

// sdkUse returns which AWS clients read a variable. Proxies and trust stores are those of Go's
// net/http and crypto/x509 (aws/aws-sdk-go:aws/session/env_config.go@v1.44.0,
// aws/aws-sdk-go-v2:config/env_config.go@v1.27.0).
func sdkUse(name string) use {
	switch name {
	case "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "no_proxy", "SSL_CERT_FILE", "SSL_CERT_DIR":
		return both
	case "AWS_STS_REGIONAL_ENDPOINTS", "AWS_S3_US_EAST_1_REGIONAL_ENDPOINT":
		return onlyV1
	case "AWS_IGNORE_CONFIGURED_ENDPOINT_URLS", "AWS_MAX_ATTEMPTS", "AWS_RETRY_MODE", "AWS_DEFAULTS_MODE":
		return onlyV2
	}
	switch {
	case strings.HasPrefix(name, "AWS_ENDPOINT_URL"):
		return onlyV2
	case strings.HasPrefix(name, "AWS_"):
		return both
	}
	return unused
}

// holdsSecret reports whether a value must not be shown: a key, a token, or a password in a URL.
func holdsSecret(v Variable) bool {
	switch v.Name {
	case "AWS_ACCESS_KEY_ID", "AWS_ACCESS_KEY", "AWS_SECRET_ACCESS_KEY", "AWS_SECRET_KEY", "AWS_SESSION_TOKEN", "AWS_SECURITY_TOKEN", "AWS_CONTAINER_AUTHORIZATION_TOKEN":
		return true
	}
	if isFile(v.Name) || strings.EqualFold(v.Name, "no_proxy") {
		return false
	}
	for _, word := range []string{"SECRET", "TOKEN", "PASSWORD", "CREDENTIAL"} {
		if strings.Contains(v.Name, word) {
			return true
		}
	}
	return strings.Contains(v.Value, "@")
}

// isFile reports whether a variable names a file, or directories separated by colons.
func isFile(name string) bool {
	return name == "AWS_CA_BUNDLE" || name == "SSL_CERT_FILE" || name == "SSL_CERT_DIR" || isCredentialFile(name)
}

// isCredentialFile reports whether a variable names a file that usually only root may read.
func isCredentialFile(name string) bool {
	return name == credentialsFile || name == configFile || name == "AWS_WEB_IDENTITY_TOKEN_FILE" || name == "AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE"
}

const (
	credentialsFile = "AWS_SHARED_CREDENTIALS_FILE" //nolint:gosec // a name
	configFile      = "AWS_CONFIG_FILE"
)

func isProxy(name string) bool {
	upper := strings.ToUpper(name)
	return upper == "HTTP_PROXY" || upper == "HTTPS_PROXY"
}

// awsEnv returns the variables that an AWS client reads, sorted by name. Exceptions from a proxy
// count only with a proxy.
func (s Surroundings) awsEnv() []Variable {
	proxied := slices.ContainsFunc(s.Env, func(v Variable) bool { return isProxy(v.Name) && v.Value != "" })
	var list []Variable
	for _, v := range s.Env {
		if v.Value != "" && sdkUse(v.Name) != unused && (proxied || !strings.EqualFold(v.Name, "no_proxy")) {
			list = append(list, v)
		}
	}
	slices.SortFunc(list, func(a, b Variable) int { return cmp.Compare(a.Name, b.Name) })
	return list
}

// trustDirs are the directories in which Go looks for certificates, and those that their links
// lead to (golang/go:src/crypto/x509/root_linux.go@go1.21).
var trustDirs = []string{"/etc/ssl", "/etc/pki", "/etc/ca-certificates", "/usr/local/share/ca-certificates", "/usr/share/ca-certificates"} //nolint:gochecknoglobals // a constant table

func inTrustStore(p string) bool {
	return slices.ContainsFunc(trustDirs, func(dir string) bool { return within(p, dir) })
}

// within reports whether p is dir or below it.
func within(p, dir string) bool {
	return p == dir || strings.HasPrefix(p, strings.TrimSuffix(dir, "/")+"/")
}

// bindOf returns the innermost bind that holds a path.
func (s Surroundings) bindOf(p string) (Bind, bool) {
	var found Bind
	for _, b := range s.Binds {
		if within(p, b.Path) && len(b.Path) > len(found.Path) {
			found = b
		}
	}
	return found, found.Path != ""
}

// broad holds directories with more than an AWS client needs, such as the cluster's keys.
func broad(dir string) bool {
	return slices.Contains([]string{"/", "/etc", "/etc/kubernetes", "/etc/kubernetes/ssl", "/root", "/home", "/opt", "/usr", "/var", "/var/lib"}, dir)
}

// narrow returns the part of a bind that a file needs: the directory, so that a replaced file is
// seen, or the file alone if the directory holds more.
func (b Bind) narrow(file string) Bind {
	part := path.Dir(file)
	if !within(part, b.Path) || broad(part) {
		part = file
	}
	return Bind{Host: path.Join(b.Host, strings.TrimPrefix(part, b.Path)), Path: part}
}

// inCCM returns the path of a mount in the CCM's container, whose user may not enter /root.
func inCCM(p string) string {
	if within(p, "/root") || within(p, "/.aws") {
		return "/etc/awsmigrate" + p
	}
	return p
}

// awsDirectory returns the bind of a directory ~/.aws, or of the credentials in it.
func (s Surroundings) awsDirectory() (bind Bind, file string) {
	for _, b := range s.Binds {
		switch {
		case path.Base(b.Path) == ".aws":
			return b, path.Join(b.Path, "credentials")
		case strings.HasSuffix(b.Path, "/.aws/credentials"):
			return b, b.Path
		}
	}
	return Bind{}, ""
}
