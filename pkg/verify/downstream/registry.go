package downstream

import (
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strings"
)

// Registry is where a configuration has machines pull images from.
type Registry struct {
	Object  string // whose configuration: "Machine demo-cp-1", "cluster.yml"
	Default string // registry of the distribution's own images, with a path or without; "": each image's own
	Mirrors []Mirror
}

// Mirror stands in for a registry.
type Mirror struct {
	Of        string            // host of the registry; "*": every one that has no mirror of its own
	Endpoints []string          // "https://harbor.local/v2/proxy", tried in order; no user, no password
	Rewrites  map[string]string // of repositories: regular expression to replacement
}

// Plain is an endpoint without what it may carry of credentials.
func Plain(endpoint string) string {
	u, err := url.Parse(endpoint)
	if err != nil {
		return ""
	}
	u.User = nil
	return u.String()
}

// SplitImage gives a reference's host, repository, and the rest with its ":" or "@".
// Without a host it is Docker Hub's (github.com/distribution/reference).
func SplitImage(image string) (host, repository, version string) {
	host, rest, found := strings.Cut(image, "/")
	if !found || !strings.ContainsAny(host, ".:") && host != "localhost" {
		host, rest = "docker.io", image
	}
	if at := strings.IndexByte(rest, '@'); at >= 0 {
		rest, version = rest[:at], rest[at:]
	}
	if colon := strings.LastIndexByte(rest, ':'); colon > strings.LastIndexByte(rest, '/') {
		rest, version = rest[:colon], rest[colon:]+version
	}
	return host, rest, version
}

// Holds says whether an image is named in the machines' own registry, or at an
// endpoint of one of their mirrors.
func (r Registry) Holds(image string) bool {
	host, _, _ := SplitImage(image)
	own, _, _ := strings.Cut(r.Default, "/")
	return host == own || slices.ContainsFunc(r.Mirrors, func(m Mirror) bool {
		return slices.ContainsFunc(m.Endpoints, func(endpoint string) bool { return endpointHost(endpoint) == host })
	})
}

// Mirrored are the places where mirrors have an image; none: no mirror stands in
// for its registry. Where several rewrites match it is one of them: their order is
// that of a map (k3s-io/containerd:remotes/docker/resolver.go, rewrites).
func (r Registry) Mirrored(image string) []string {
	host, repository, version := SplitImage(image)
	var places []string
	for _, m := range r.mirrorsOf(host) {
		for _, endpoint := range m.Endpoints {
			for _, name := range m.rewritten(repository) {
				places = append(places, endpointBase(endpoint)+"/"+name+version)
			}
		}
	}
	return places
}

// mirrorsOf are a host's own mirrors, else those of "*".
func (r Registry) mirrorsOf(host string) []Mirror {
	for _, name := range []string{host, "*"} {
		var found []Mirror
		for _, m := range r.Mirrors {
			if m.Of == name && len(m.Endpoints) > 0 {
				found = append(found, m)
			}
		}
		if len(found) > 0 {
			return found
		}
	}
	return nil
}

func (m Mirror) rewritten(repository string) []string {
	var names []string
	for _, pattern := range slices.Sorted(maps.Keys(m.Rewrites)) {
		if re, err := regexp.Compile(pattern); err == nil && re.MatchString(repository) {
			names = append(names, re.ReplaceAllString(repository, m.Rewrites[pattern]))
		}
	}
	if len(names) == 0 {
		return []string{repository}
	}
	return names
}

func endpointHost(endpoint string) string {
	host, _, _ := strings.Cut(endpointBase(endpoint), "/")
	return host
}

// endpointBase is what an endpoint puts before a repository. The path of the
// registry's API, /v2, is no part of a name.
func endpointBase(endpoint string) string {
	if _, rest, found := strings.Cut(endpoint, "://"); found {
		endpoint = rest
	}
	host, path, _ := strings.Cut(endpoint, "/")
	path = strings.Trim(path, "/")
	if path == "v2" {
		path = ""
	}
	return strings.TrimSuffix(host+"/"+strings.TrimPrefix(path, "v2/"), "/")
}
