package downstream

import (
	"net/url"
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
	OtherForm         ProviderIDKind = "EC2 instance in another form" // as no provider writes it, and a CCM takes it
	FargateID         ProviderIDKind = "Fargate"                      // no EC2 instance stands behind the node
	ForeignProviderID ProviderIDKind = "foreign"                      // of another provider
	BadProviderID     ProviderIDKind = "malformed"                    // of AWS, and names no instance
)

var (
	// usual is the one form that the in-tree provider and the CCM both write.
	usual      = regexp.MustCompile(`^aws:///[a-z0-9-]+/i-[0-9a-f]{8,17}$`)
	instanceID = regexp.MustCompile(`^i-[0-9a-f]{8,17}$`) // what EC2 gives, and takes
	zoneName   = regexp.MustCompile(`^[a-z0-9-]+$`)
	// fargateID has the zone, an id, and the node's name, which begins with fargate-.
	// Source: kubernetes/cloud-provider-aws:pkg/providers/v1/instances.go and
	// instances_test.go@v1.28.1.
	fargateID = regexp.MustCompile(`^aws:///[a-z0-9-]+/[0-9A-Za-z-]+/fargate-[0-9A-Za-z.:-]+$`)
	scheme    = regexp.MustCompile(`^([a-z][a-z0-9+.-]*)://`)
)

// ParseProviderID reads out of a ProviderID what a CCM does: the instance id, which
// is the last part of the path, whatever stands before it
// (kubernetes/cloud-provider-aws:pkg/providers/v1/instances.go MapToAWSInstanceID,
// the same from v1.22.8 to v1.28.1). The zone, which no CCM reads, is the part before
// it, or the host; "" where there is none. Of the form that is usually written,
// aws:///<zone>/<instance id>, nothing else is left. An id that EC2 cannot have, and
// the id of another provider, is none.
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

// KindOf says what a ProviderID is, and why it is no instance's where the reason
// is not plain to see.
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
	case hidden(id):
		return BadProviderID, "has characters that do not show, or are not ASCII"
	case m == nil && strings.HasPrefix(id, "i-"):
		return BadProviderID, "no instance id of EC2"
	case m == nil:
		return ForeignProviderID, "of no known provider"
	}
	return BadProviderID, "ends in no instance id of EC2"
}

func hidden(s string) bool {
	return !utf8.ValidString(s) || strings.ContainsFunc(s, func(r rune) bool { return r > 0x7e || !strconv.IsPrint(r) || r == ' ' })
}
