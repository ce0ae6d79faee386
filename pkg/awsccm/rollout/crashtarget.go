package rollout

import (
	"regexp"
	"slices"
	"strings"
)

// target is what a line of a log is about.
type target string

const (
	unknownTarget   target = ""
	apiServer       target = "API server"
	awsEndpoint     target = "AWS"
	metadataService target = "metadata service"
	throughProxy    target = "proxy"
)

// urlPattern finds the URLs of net/http's errors, in quotes that may be escaped.
var urlPattern = regexp.MustCompile(`https?://[^/\s"\\]+(/[^\s"\\]*)?`)

// targetOf tells by a line in lower case whom the process could not reach: by the URL,
// and without one by the words of the library that asked. An API server is known by
// the paths that client-go asks for.
func targetOf(line string) target {
	switch {
	case strings.Contains(line, "proxyconnect"):
		return throughProxy
	case containsAny(line, []string{"169.254.169.254", "fd00:ec2::254", "ec2imds", "ec2metadata", "aws metadata", "instance metadata"}) && !containsAny(line, []string{"amazonaws.com"}):
		return metadataService
	}
	if urls := urlPattern.FindAllStringSubmatch(line, -1); len(urls) > 0 {
		if slices.ContainsFunc(urls, func(url []string) bool { return ofAPIServer(url[1]) }) {
			return apiServer
		}
		return awsEndpoint
	}
	switch {
	case containsAny(line, []string{"amazonaws.com", "operation error", "request send failed", "send request failed"}):
		return awsEndpoint
	case containsAny(line, []string{"apiserver", "api server", "resource lock", "leaderelection", "failed to list *", "failed to watch *", "etcdserver"}):
		return apiServer
	}
	return unknownTarget
}

func ofAPIServer(path string) bool {
	for _, prefix := range []string{"/api", "/apis", "/healthz", "/livez", "/readyz", "/version", "/openapi"} {
		if rest, ok := strings.CutPrefix(path, prefix); ok && (rest == "" || strings.ContainsAny(rest[:1], "/?")) {
			return true
		}
	}
	return false
}
