package nodedriver

import (
	"errors"
	"fmt"
	"strings"

	"github.com/awsmigrate/awsmigrate/test/lab/aws"
)

// Template holds the fields of an Amazonec2Config that the stand-in reads.
type Template struct {
	Tags     string // "key,value,key,value"
	UserData string
	Tokens   string // of the metadata service: "optional", "required", or empty
	Endpoint string // of the metadata service: "enabled", "disabled", or empty
	Profile  string // name of the instance profile, or empty
	VPC      string
	Subnet   string
	Zone     string // letter, or empty
}

// ReadTemplate returns the template in an Amazonec2Config. Its fields are at the top of the object.
func ReadTemplate(object map[string]any) Template {
	text := func(key string) string {
		value, _ := object[key].(string)
		return value
	}
	return Template{
		Tags: text("tags"), UserData: text("userdata"), Tokens: text("httpTokens"), Endpoint: text("httpEndpoint"),
		Profile: text("iamInstanceProfile"), VPC: text("vpcId"), Subnet: text("subnetId"), Zone: text("zone"),
	}
}

// Machine describes the machine that Rancher orders.
type Machine struct {
	Name    string // of Rancher's object for the driver, which is the instance's name
	Cluster string // Rancher's ID of the cluster
	Zone    string // for a template without zone and subnet
	Tokens  string // of the metadata service, if the template leaves them to EC2
}

// Launch creates the machine's instance. It returns it with the user data that its operating
// system executes, or the error with which rancher-machine gives up.
func Launch(cloud *aws.Cloud, t Template, m Machine) (aws.Instance, UserData, error) {
	user, err := cloudConfig(t.UserData, m.Name)
	if err != nil {
		return aws.Instance{}, user, fmt.Errorf("could not alter cloud-init file: %w", err)
	}
	if err := t.validate(); err != nil {
		return aws.Instance{}, user, fmt.Errorf("error setting machine configuration from flags provided: %w", err)
	}
	request := aws.Instance{Name: m.Name, HTTPTokens: t.Tokens, HTTPEndpoint: t.Endpoint}
	if request.HTTPTokens == "" {
		request.HTTPTokens = m.Tokens
	}
	if request.Zone, request.SubnetID, err = place(cloud.Network(), t, m.Zone); err != nil {
		return aws.Instance{}, user, err
	}
	if request.Tags, err = instanceTags(withClusterTag(t.Tags, m.Cluster)); err != nil {
		return aws.Instance{}, user, fmt.Errorf("error launching instance: %w", err)
	}
	if request.Role, err = cloud.RoleOfProfile(t.Profile); err != nil {
		return aws.Instance{}, user, fmt.Errorf("error launching instance: %w", err)
	}
	made, err := cloud.RunInstance(request)
	return made, user, err
}

func (t Template) validate() error {
	switch {
	case t.Endpoint != "" && t.Endpoint != aws.EndpointEnabled && t.Endpoint != aws.EndpointDisabled:
		return errors.New("httpEndpoint must be either enabled or disabled")
	case t.Tokens != "" && t.Tokens != "optional" && t.Tokens != "required":
		return errors.New("httpToken must be either optional or required")
	}
	return nil
}

// place returns the zone and the subnet of the next instance. The account's default VPC is its only
// one.
func place(network aws.Network, t Template, otherwise string) (zone, subnet string, err error) {
	zone = network.Region + t.Zone
	if t.Zone == "" {
		zone = network.Region + "a"
		if t.Subnet == "" {
			zone = otherwise
		}
	}
	foreign := t.VPC != "" && t.VPC != network.VpcID
	if t.Subnet == "" {
		subnet, ok := network.Subnets[zone]
		if !ok || foreign {
			return "", "", fmt.Errorf("unable to find a subnet in the zone: %s", zone)
		}
		return zone, subnet, nil
	}
	for of, id := range network.Subnets {
		switch {
		case id != t.Subnet:
		case foreign:
			return "", "", fmt.Errorf("SubnetId: %s does not belong to VpcId: %s", id, t.VPC)
		case of != zone:
			return "", "", fmt.Errorf("error launching instance: InvalidParameterValue: Value (%s) for parameter availabilityZone is invalid. Subnet '%s' is in the availability zone %s", zone, id, of)
		default:
			return zone, id, nil
		}
	}
	return "", "", errors.New("the desired subnet could not be located in this region")
}

const clusterTagPrefix = "kubernetes.io/cluster/"

// withClusterTag appends Rancher's own tag of the cluster, unless the text contains the prefix of
// such a tag anywhere.
func withClusterTag(tags, cluster string) string {
	own := clusterTagPrefix + cluster + ",owned"
	switch {
	case tags == "":
		return own
	case strings.Contains(tags, clusterTagPrefix):
		return tags
	}
	return tags + "," + own
}

// instanceTags returns the driver's tags without the instance's name, which the driver appends. A
// last word without a value is ignored. EC2 refuses a key without text, and a key that occurs twice.
func instanceTags(text string) (map[string]string, error) {
	tags := map[string]string{}
	words := strings.Split(text, ",")
	for i := 0; i+1 < len(words); i += 2 {
		key := words[i]
		if _, twice := tags[key]; twice || key == "Name" {
			return nil, fmt.Errorf("InvalidParameterValue: Duplicate tag key '%s' specified", key)
		}
		if key == "" {
			return nil, errors.New("InvalidParameterValue: Tag key must have a value")
		}
		tags[key] = words[i+1]
	}
	return tags, nil
}
