package ccmchart

import (
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

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
	vars := s.withAWSDirectory(s.awsEnv())
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

// withAWSDirectory adds variables that name the files in ~/.aws. kube-controller-manager reads both,
// whatever AWS_SDK_LOAD_CONFIG is (kubernetes/kubernetes:staging/src/k8s.io/legacy-cloud-providers/aws/aws.go@v1.26.13,
// SharedConfigEnable), and the CCM's user has no home.
func (s Surroundings) withAWSDirectory(vars []Variable) []Variable {
	bind, file := s.awsDirectory()
	if file == "" {
		return vars
	}
	unset := func(name string) bool {
		return !slices.ContainsFunc(vars, func(v Variable) bool { return v.Name == name })
	}
	if unset(credentialsFile) {
		vars = append(vars, Variable{credentialsFile, file})
	}
	if path.Base(bind.Path) == ".aws" && unset(configFile) {
		vars = append(vars, Variable{configFile, path.Join(bind.Path, "config")})
	}
	return vars
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
const environmentSecret = wellknown.CCM + "-environment"

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
