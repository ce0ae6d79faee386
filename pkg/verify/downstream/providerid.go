package downstream

import (
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"
)

// ProviderIDKind classifies a ProviderID.
type ProviderIDKind string

// Kinds of ProviderIDs.
const (
	NoProviderID      ProviderIDKind = "empty"
	InstanceID        ProviderIDKind = "EC2 instance"
	OtherForm         ProviderIDKind = "EC2 instance in another form" // not written by any provider, accepted by a CCM
	FargateID         ProviderIDKind = "Fargate"                      // the node is not an EC2 instance
	ForeignProviderID ProviderIDKind = "foreign"                      // of another provider
	BadProviderID     ProviderIDKind = "malformed"                    // of AWS, without an instance ID
)

var (
	// usual matches the form that the in-tree provider and the CCM write.
	usual      = regexp.MustCompile(`^aws:///[a-z0-9-]+/i-[0-9a-f]{8,17}$`)
	instanceID = regexp.MustCompile(`^i-[0-9a-f]{8,17}$`) // the form that EC2 uses and accepts
	zoneName   = regexp.MustCompile(`^[a-z0-9-]+$`)
	// fargateID matches the zone, an ID, and the node's name, which begins with fargate-.
	// Source: kubernetes/cloud-provider-aws:pkg/providers/v1/instances.go and
	// instances_test.go@v1.28.1.
	fargateID = regexp.MustCompile(`^aws:///[a-z0-9-]+/[0-9A-Za-z-]+/fargate-[0-9A-Za-z.:-]+$`)
	scheme    = regexp.MustCompile(`^([a-z][a-z0-9+.-]*)://`)
)

// ParseProviderID parses a ProviderID as a CCM does: the instance ID is the last part of the
// path (kubernetes/cloud-provider-aws:pkg/providers/v1/instances.go MapToAWSInstanceID, the
// same from v1.22.8 to v1.28.1). The zone, which no CCM reads, is the part before it, or the
// host, or "". ok is false for another provider and for an ID that EC2 cannot have. The usual
// form is aws:///<zone>/<instance id>.
func ParseProviderID(id string) (zone, instance string, ok bool) {
	if m := scheme.FindStringSubmatch(id); m != nil && m[1] != "aws" {
		return "", "", false
	}
	if !strings.HasPrefix(id, "aws://") {
		id = "aws:///" + id
	}
	u, err := url.Parse(id)
	if err != nil {
		return "", "", false
	}
	parts := append([]string{u.Host}, strings.Split(strings.Trim(u.Path, "/"), "/")...)
	instance, zone = parts[len(parts)-1], parts[len(parts)-2]
	if !instanceID.MatchString(instance) {
		return "", "", false
	}
	if !zoneName.MatchString(zone) {
		zone = ""
	}
	return zone, instance, true
}

// KindOf returns the kind of a ProviderID. why explains a kind without an instance unless it
// is obvious.
func KindOf(id string) (kind ProviderIDKind, why string) {
	_, _, named := ParseProviderID(id)
	switch {
	case id == "":
		return NoProviderID, ""
	case usual.MatchString(id):
		return InstanceID, ""
	case fargateID.MatchString(id):
		return FargateID, ""
	case named:
		return OtherForm, ""
	}
	m := scheme.FindStringSubmatch(id)
	switch {
	case m != nil && m[1] != "aws":
		return ForeignProviderID, "of provider " + m[1]
	case hasUnprintable(id):
		return BadProviderID, "has invisible or non-ASCII characters"
	case m == nil && strings.HasPrefix(id, "i-"):
		return BadProviderID, "no instance id of EC2"
	case m == nil:
		return ForeignProviderID, "of no known provider"
	}
	return BadProviderID, "ends in no instance id of EC2"
}

func hasUnprintable(s string) bool {
	return !utf8.ValidString(s) || strings.ContainsFunc(s, func(r rune) bool { return r > 0x7e || !strconv.IsPrint(r) || r == ' ' })
}
