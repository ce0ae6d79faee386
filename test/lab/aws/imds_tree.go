package aws

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"
)

// metadataTree holds the contents of an instance's metadata service, by path below the version.
type metadataTree map[string]string

// read returns a leaf, or the list of a directory: one name a line, directories with a slash.
func (t metadataTree) read(path string) (string, bool) {
	if leaf, ok := t[path]; ok {
		return leaf, true
	}
	prefix := strings.TrimSuffix(path, "/") + "/"
	if prefix == "/" {
		prefix = ""
	}
	var names []string
	for key := range t {
		rest, ok := strings.CutPrefix(key, prefix)
		if !ok {
			continue
		}
		name, _, deeper := strings.Cut(rest, "/")
		if deeper {
			name += "/"
		}
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return strings.Join(names, "\n"), len(names) > 0
}

func (c *Cloud) metadataTree(i *Instance) (metadataTree, error) {
	t := metadataTree{}
	for name, value := range map[string]string{
		"ami-id":                         "ami-0123456789abcdef0",
		"hostname":                       i.Hostname,
		"instance-id":                    i.ID,
		"instance-type":                  i.Type,
		"local-hostname":                 i.LocalHostname,
		"local-ipv4":                     i.PrivateIP,
		"mac":                            i.MAC,
		"placement/availability-zone":    i.Zone,
		"placement/availability-zone-id": c.zoneID(i.Zone),
		"placement/region":               c.region,
		"reservation-id":                 strings.Replace(i.ID, "i-", "r-", 1),
		"security-groups":                strings.Join(c.groupNames(i), "\n"),
		"services/domain":                "amazonaws.com",
		"services/partition":             "aws",
	} {
		t["meta-data/"+name] = value
	}
	c.interfaceTree(t, i)
	if err := c.identityTree(t, i); err != nil {
		return nil, err
	}
	return t, c.credentialTree(t, i)
}

func (c *Cloud) groupNames(i *Instance) []string {
	var out []string
	for _, g := range c.groupItems(i) {
		out = append(out, g.Name)
	}
	return out
}

func (c *Cloud) interfaceTree(t metadataTree, i *Instance) {
	cidr := ""
	if s, ok := c.subnets.get(i.SubnetID); ok {
		cidr = s.CIDR
	}
	for name, value := range map[string]string{
		"device-number":          "0",
		"interface-id":           i.InterfaceID,
		"local-hostname":         i.LocalHostname,
		"local-ipv4s":            i.PrivateIP,
		"mac":                    i.MAC,
		"owner-id":               c.account,
		"security-group-ids":     strings.Join(i.SecurityGroups, "\n"),
		"security-groups":        strings.Join(c.groupNames(i), "\n"),
		"subnet-id":              i.SubnetID,
		"subnet-ipv4-cidr-block": cidr,
		"vpc-id":                 i.VpcID,
		"vpc-ipv4-cidr-block":    c.vpc.CIDR,
		"vpc-ipv4-cidr-blocks":   c.vpc.CIDR,
	} {
		t["meta-data/network/interfaces/macs/"+i.MAC+"/"+name] = value
	}
}

func (c *Cloud) identityTree(t metadataTree, i *Instance) error {
	document, err := json.MarshalIndent(map[string]string{
		"accountId": c.account, "architecture": "x86_64", "availabilityZone": i.Zone, "imageId": "ami-0123456789abcdef0",
		"instanceId": i.ID, "instanceType": i.Type, "pendingTime": i.LaunchTime.Format(time.RFC3339),
		"privateIp": i.PrivateIP, "region": c.region, "version": "2017-09-30",
	}, "", "  ")
	if err != nil {
		return fmt.Errorf("identity document of %s: %w", i.ID, err)
	}
	t["dynamic/instance-identity/document"] = string(document)
	return nil
}

// credentialTree adds the role's credentials, if the instance has a profile.
func (c *Cloud) credentialTree(t metadataTree, i *Instance) error {
	if i.Role == "" {
		return nil
	}
	updated := c.now().UTC().Format(time.RFC3339)
	k := c.credential(i.Role, i.ID)
	secret, err := json.MarshalIndent(map[string]string{
		"Code": "Success", "LastUpdated": updated, "Type": "AWS-HMAC", "AccessKeyId": k.id,
		"SecretAccessKey": k.secret, "Token": k.token, "Expiration": c.expiration(),
	}, "", "  ")
	if err != nil {
		return fmt.Errorf("credentials of %s: %w", i.ID, err)
	}
	info, err := json.MarshalIndent(map[string]string{
		"Code": "Success", "LastUpdated": updated,
		"InstanceProfileArn": c.profileARN(i.Role), "InstanceProfileId": c.profileID(i.Role),
	}, "", "  ")
	if err != nil {
		return fmt.Errorf("profile of %s: %w", i.ID, err)
	}
	t["meta-data/iam/security-credentials/"+i.Role] = string(secret)
	t["meta-data/iam/info"] = string(info)
	return nil
}
