package downstream

import (
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strings"
)

// Registry describes where machines pull images from.
type Registry struct {
	Object  string // owner of the configuration: "Machine demo-cp-1", "cluster.yml"
	Default string // registry of the distribution's own images, with optional path; empty for each image's own
	Mirrors []Mirror
}

// Mirror replaces a registry.
type Mirror struct {
	Of        string            // host of the registry, or "*" for all without a mirror of their own
	Endpoints []string          // "https://harbor.local/v2/proxy", tried in order; without credentials
	Rewrites  map[string]string // of repositories: regular expression to replacement
}

// Plain returns an endpoint without credentials, or "" if it cannot be parsed.
func Plain(endpoint string) string {
	u, err := url.Parse(endpoint)
	if err != nil {
		return ""
	}
	u.User = nil
	return u.String()
}

// SplitImage splits an image into host, repository, and the rest with its ":" or "@". The
// default host is Docker Hub's (github.com/distribution/reference).
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

// Holds reports whether the image's host is the default registry or a mirror's endpoint.
func (r Registry) Holds(image string) bool {
	host, _, _ := SplitImage(image)
	own, _, _ := strings.Cut(r.Default, "/")
	return host == own || slices.ContainsFunc(r.Mirrors, func(m Mirror) bool {
		return slices.ContainsFunc(m.Endpoints, func(endpoint string) bool { return endpointHost(endpoint) == host })
	})
}

// Mirrored returns the locations of an image on mirrors, or nil if its registry has no mirror.
// If several rewrites match, only one of the locations is real: containerd takes them in the
// order of a map (k3s-io/containerd:remotes/docker/resolver.go, rewrites).
func (r Registry) Mirrored(image string) []string {
	host, repository, version := SplitImage(image)
	var places []string
	for _, m := range r.mirrorsOf(host) {
		for _, endpoint := range m.Endpoints {
			for _, name := range m.rewrite(repository) {
				places = append(places, endpointBase(endpoint)+"/"+name+version)
			}
		}
	}
	return places
}

// mirrorsOf returns a host's own mirrors, else those of "*".
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

func (m Mirror) rewrite(repository string) []string {
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

// endpointBase returns the prefix that an endpoint adds to a repository, without the path /v2
// of the registry API.
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
