package rancher

import (
	"fmt"
	"path/filepath"
	"strings"
)

// withProbeArguments adds the arguments and the mount that Rancher's own probe of a component
// needs, unless the user set them: cert-dir (or tls-cert-file) and secure-port. The result is
// always a list. Source: rancher/rancher:pkg/capr/planner/planner.go@v2.8.5
// (renderArgAndMount).
func withProbeArguments(config map[string]any, component, port string) {
	argKey, mountKey := component+"-arg", component+"-extra-mount"
	args, mounts := stringList(config[argKey]), stringList(config[mountKey])
	dir := "/var/lib/rancher/rke2/server/tls/" + component
	addDir := true
	if f := argValue(args, "tls-cert-file"); f != "" {
		dir, addDir = filepath.Dir(f), false
	} else if d := argValue(args, "cert-dir"); d != "" {
		dir, addDir = d, false
	}
	addPort := argValue(args, "secure-port") == ""
	if addDir {
		args = append(args, "cert-dir="+dir)
	}
	if addPort {
		args = append(args, "secure-port="+port)
	}
	config[argKey] = anyList(args)
	config[mountKey] = anyList(append(mounts, dir+":"+dir))
}

// securePort returns the port of a component's probe.
func securePort(config map[string]any, component, fallback string) string {
	if p := argValue(stringList(config[component+"-arg"]), "secure-port"); p != "" {
		return p
	}
	return fallback
}

// argValue returns the value of the first argument of that name, or empty.
func argValue(args []string, name string) string {
	for _, a := range args {
		if k, v, ok := strings.Cut(a, "="); ok && k == name {
			return v
		}
	}
	return ""
}

// stringList reads a list or a single string.
func stringList(v any) []string {
	switch v := v.(type) {
	case string:
		return []string{v}
	case []string:
		return append([]string(nil), v...)
	case []any:
		out := make([]string, 0, len(v))
		for _, e := range v {
			out = append(out, fmt.Sprint(e))
		}
		return out
	}
	return nil
}

func anyList(in []string) []any {
	out := make([]any, len(in))
	for i, s := range in {
		out[i] = s
	}
	return out
}
