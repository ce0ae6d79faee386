package rollout

import (
	"regexp"
	"slices"
	"strings"
)

// target is the subject of a log line.
type target string

const (
	unknownTarget   target = ""
	apiServer       target = "API server"
	awsEndpoint     target = "AWS"
	metadataService target = "metadata service"
	throughProxy    target = "proxy"
)

// urlPattern matches the URLs in net/http's errors, in quotes that may be escaped.
var urlPattern = regexp.MustCompile(`https?://[^/\s"\\]+(/[^\s"\\]*)?`)

// targetOf returns the server that the process could not reach, from a line in lower case: by
// the URL, or else by the words of the library that sent the request. The paths of client-go
// identify an API server.
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
