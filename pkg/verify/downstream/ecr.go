package downstream

import (
	"regexp"
	"strings"
)

// ecrHost matches the registries for which a kubelet up to 1.26 has built-in credentials
// (kubernetes/kubernetes:pkg/credentialprovider/aws/aws_credentials.go@v1.26.13, line 44). It
// does not match public.ecr.aws, which needs none.
var ecrHost = regexp.MustCompile(`^\d{12}\.dkr\.ecr(-fips)?\.[a-zA-Z0-9][\w-]*\.(amazonaws\.com(\.cn)?|sc2s\.sgov\.gov|c2s\.ic\.gov)$`)

// OnECR reports whether an image is in a private registry of ECR.
func OnECR(image string) bool {
	host, _, named := strings.Cut(image, "/")
	return named && ecrHost.MatchString(host)
}
