package ccmchart

import (
	"cmp"
	"maps"
	"path"
	"slices"
	"strings"
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

// use says which AWS clients read a variable.
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
	case "AWS_SDK_LOAD_CONFIG", "AWS_STS_REGIONAL_ENDPOINTS", "AWS_S3_US_EAST_1_REGIONAL_ENDPOINT":
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
	return name == credentialsFile || name == "AWS_CONFIG_FILE" || name == "AWS_WEB_IDENTITY_TOKEN_FILE" || name == "AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE"
}

const credentialsFile = "AWS_SHARED_CREDENTIALS_FILE"

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

// carried holds the part of the surroundings that the CCM gets.
type carried struct {
	env      []Variable
	mounts   []Bind // with the paths in the CCM's container
	concerns []Concern
}

// shown lists what is carried over, without values that may be secret.
func (c carried) shown() []string {
	var list []string
	for _, v := range c.env {
		word := v.Name + "=" + v.Value
		if holdsSecret(v) {
			word = v.Name + " (in a Secret)"
		}
		list = append(list, word)
	}
	for _, b := range c.mounts {
		list = append(list, "host path "+b.Host)
	}
	return list
}

// carry selects the surroundings for the CCM. given holds the variables that the user's values
// set; they take precedence. trusted reports whether the host's trust store is needed.
func (s Surroundings) carry(given map[string]bool, sdk2, trusted bool) carried {
	var c carried
	vars := s.awsEnv()
	if bind, file := s.awsDirectory(); file != "" && !slices.ContainsFunc(vars, func(v Variable) bool { return v.Name == credentialsFile }) {
		vars = append(vars, Variable{credentialsFile, file})
		if path.Base(bind.Path) == ".aws" && slices.ContainsFunc(vars, func(v Variable) bool { return v.Name == "AWS_SDK_LOAD_CONFIG" }) &&
			!slices.ContainsFunc(vars, func(v Variable) bool { return v.Name == "AWS_CONFIG_FILE" }) {
			vars = append(vars, Variable{"AWS_CONFIG_FILE", path.Join(bind.Path, "config")})
		}
	}
	for _, v := range vars {
		if given[v.Name] {
			continue
		}
		if isFile(v.Name) {
			v.Value = c.carryFiles(s, v)
		}
		if s.Literal && !holdsSecret(v) {
			v.Value = strings.ReplaceAll(v.Value, "$(", "$$(")
		}
		c.env = append(c.env, v)
		c.concerns = append(c.concerns, sdkConcern(v, sdk2)...)
		trusted = trusted || isProxy(v.Name)
	}
	for _, b := range s.Binds {
		if inTrustStore(b.Path) && (trusted || !b.Usual) {
			c.mount(b)
		}
	}
	if !given["NO_PROXY"] && !given["no_proxy"] {
		c.env = withAPIServer(c.env)
	}
	return c
}

// carryFiles mounts the files that a variable names, and returns its value in the CCM.
func (c *carried) carryFiles(s Surroundings, v Variable) string {
	files := []string{v.Value}
	if v.Name == "SSL_CERT_DIR" {
		files = strings.Split(v.Value, ":")
	}
	key := "env " + v.Name
	for i, file := range files {
		bind, found := s.bindOf(file)
		switch {
		case found && v.Name == "SSL_CERT_DIR":
			c.mount(Bind{Host: path.Join(bind.Host, strings.TrimPrefix(file, bind.Path)), Path: file})
		case found:
			c.mount(bind.narrow(file))
		case !inTrustStore(file):
			c.concerns = append(c.concerns, Concern{Key: key, Seen: file, Why: "no host path of kube-controller-manager holds that file, so the CCM cannot get it", Blocking: true,
				Fix: "mount the file with extraVolumes and extraVolumeMounts in --values, and set " + v.Name + " in its env"})
		}
		files[i] = inCCM(file)
	}
	if isCredentialFile(v.Name) {
		c.concerns = append(c.concerns, Concern{Key: key, Seen: v.Value, Why: "the CCM reads that file of each control-plane host as user 65532: make it readable, or set podSecurityContext in --values"})
	}
	return strings.Join(files, ":")
}

func (c *carried) mount(b Bind) {
	b.Path = inCCM(b.Path)
	if !slices.ContainsFunc(c.mounts, func(have Bind) bool { return have.Path == b.Path }) {
		c.mounts = append(c.mounts, Bind{Host: b.Host, Path: b.Path})
	}
}

func sdkConcern(v Variable, sdk2 bool) []Concern {
	seen := v.Value
	if holdsSecret(v) {
		seen = "set"
	}
	switch reads := sdkUse(v.Name); {
	case reads == onlyV1 && sdk2:
		return []Concern{{Key: "env " + v.Name, Seen: seen, Why: "kube-controller-manager's AWS SDK v1 reads it; this image has AWS SDK v2, which ignores it"}}
	case reads == onlyV2 && sdk2:
		return []Concern{{Key: "env " + v.Name, Seen: seen, Why: "kube-controller-manager's AWS SDK v1 ignores it; this image has AWS SDK v2, which follows it"}}
	case reads == onlyV2:
		return []Concern{{Key: "env " + v.Name, Seen: seen, Why: "this image has AWS SDK v1, as kube-controller-manager, which ignores it; images with AWS SDK v2 follow it"}}
	}
	return nil
}

// withAPIServer exempts the API server from a proxy. The CCM reaches it by the address of its
// Service, and kube-controller-manager by 127.0.0.1, which Go never sends to a proxy. The kubelet
// expands the reference.
func withAPIServer(env []Variable) []Variable {
	if !slices.ContainsFunc(env, func(v Variable) bool { return isProxy(v.Name) }) {
		return env
	}
	const address = "$(KUBERNETES_SERVICE_HOST)"
	for _, name := range []string{"NO_PROXY", "no_proxy"} { // in the order of Go
		if i := slices.IndexFunc(env, func(v Variable) bool { return v.Name == name }); i >= 0 {
			env[i].Value += "," + address
			return env
		}
	}
	return append(env, Variable{"NO_PROXY", address})
}

// environmentSecret is the Secret of variables with secret values.
const environmentSecret = "aws-cloud-controller-manager-environment"

// carryInto adds the surroundings to merged values. Of the user's values the same variables and
// mounts take precedence.
func (in Inputs) carryInto(values map[string]any, out *ChartValues) {
	given := map[string]bool{}
	list, _ := values["env"].([]any)
	for _, item := range list {
		name, _ := asMap(item)["name"].(string)
		given[name] = true
	}
	c := in.Surroundings.carry(given, sdkV2(out.Image), in.TrustHost || strings.Contains(strings.ToLower(in.CloudConfig), "[serviceoverride"))
	secrets := map[string]any{}
	for _, v := range c.env {
		switch {
		case !holdsSecret(v):
			list = append(list, map[string]any{"name": v.Name, "value": v.Value})
		case in.Document:
			c.concerns = append(c.concerns, Concern{Key: "env " + v.Name, Seen: "set", Blocking: true, Why: "the additional manifest would show its value to everybody who may read the Cluster",
				Fix: "take --install-method helm, or create a Secret in kube-system and name it for " + v.Name + " in env of --values"})
		default:
			secrets[v.Name] = v.Value
			list = append(list, map[string]any{"name": v.Name, "valueFrom": map[string]any{"secretKeyRef": map[string]any{"name": environmentSecret, "key": v.Name}}})
		}
	}
	for _, name := range in.Differ {
		if !given[name] {
			c.concerns = append(c.concerns, Concern{Key: "env " + name, Seen: "differs between the kube-controller-managers", Blocking: true, Why: "the CCM can only have one value",
				Fix: "set " + name + " in env of --values"})
		}
	}
	if len(c.env) > 0 {
		values["env"] = list
	}
	in.mountInto(values, c.mounts)
	if len(secrets) > 0 && in.foreign() {
		values["awsmigrateFiles"] = merge(asMap(values["awsmigrateFiles"]), map[string]any{"environment": secrets})
	} else if len(secrets) > 0 {
		values["secretEnv"] = merge(asMap(values["secretEnv"]), secrets)
	}
	out.Carried, out.Concerns = c.shown(), append(out.Concerns, c.concerns...)
}

func (in Inputs) mountInto(values map[string]any, mounts []Bind) {
	taken := map[string]bool{}
	list, _ := values["extraVolumeMounts"].([]any)
	for _, item := range list {
		at, _ := asMap(item)["mountPath"].(string)
		taken[at] = true
	}
	byName := map[string]Bind{}
	for _, b := range mounts {
		if !taken[b.Path] {
			byName[volumeName(b.Path)] = b
		}
	}
	for _, name := range slices.Sorted(maps.Keys(byName)) {
		mount(values, name, byName[name].Path, map[string]any{"hostPath": map[string]any{"path": byName[name].Host}})
	}
}

// volumeName returns a name for the volume of a path: a DNS label, unique by its hash.
func volumeName(p string) string { return "host-" + shortHash(p) }
