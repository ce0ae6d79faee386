package downstream

import (
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"
)

// ProviderIDKind says what a ProviderID is.
type ProviderIDKind string

// Kinds of ProviderIDs.
const (
	NoProviderID      ProviderIDKind = "empty"
	InstanceID        ProviderIDKind = "EC2 instance"
	FargateID         ProviderIDKind = "Fargate"   // no EC2 instance stands behind the node
	ForeignProviderID ProviderIDKind = "foreign"   // of another provider
	BadProviderID     ProviderIDKind = "malformed" // of AWS, and not as its provider writes it
)

var (
	providerID = regexp.MustCompile(`^aws:///([a-z0-9-]+)/(i-[0-9a-f]{8,17})$`)
	// fargateID has the zone, an id, and the node's name, which begins with fargate-.
	// Source: kubernetes/cloud-provider-aws:pkg/providers/v1/instances.go and
	// instances_test.go@v1.28.1.
	fargateID = regexp.MustCompile(`^aws:///[a-z0-9-]+/[0-9A-Za-z-]+/fargate-[0-9A-Za-z.:-]+$`)
	scheme    = regexp.MustCompile(`^([a-z][a-z0-9+.-]*)://`)
)

// ParseProviderID takes "aws:///<zone>/<instance id>" apart, the one form that
// the in-tree provider and the CCM both write for instances.
func ParseProviderID(id string) (zone, instance string, ok bool) {
	m := providerID.FindStringSubmatch(id)
	if m == nil {
		return "", "", false
	}
	return m[1], m[2], true
}

// KindOf says what a ProviderID is, and why it is no instance's where the reason
// is not plain to see.
func KindOf(id string) (kind ProviderIDKind, why string) {
	switch {
	case id == "":
		return NoProviderID, ""
	case providerID.MatchString(id):
		return InstanceID, ""
	case fargateID.MatchString(id):
		return FargateID, ""
	}
	m := scheme.FindStringSubmatch(id)
	switch {
	case m != nil && m[1] != "aws":
		return ForeignProviderID, "of provider " + m[1]
	case m == nil && strings.HasPrefix(id, "i-"):
		return BadProviderID, "an instance id without zone"
	case m == nil:
		return ForeignProviderID, "of no known provider"
	case hidden(id):
		return BadProviderID, "has characters that do not show, or are not ASCII"
	case !strings.HasPrefix(id, "aws:///"):
		return BadProviderID, "has a host where nothing belongs"
	case strings.HasPrefix(id, "aws:////"):
		return BadProviderID, "has no zone"
	}
	return BadProviderID, ""
}

func hidden(s string) bool {
	return !utf8.ValidString(s) || strings.ContainsFunc(s, func(r rune) bool { return r > 0x7e || !strconv.IsPrint(r) || r == ' ' })
}
