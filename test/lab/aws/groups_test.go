package aws_test

import (
	"testing"

	sdk "github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	"github.com/aws/aws-sdk-go-v2/service/ec2/types"

	"github.com/awsmigrate/awsmigrate/test/lab/aws"
)

func newGroup(t *testing.T, f *fixture, name string) string {
	t.Helper()
	out := must[*ec2.CreateSecurityGroupOutput](t)(f.ec2(aws.RoleControlPlane).CreateSecurityGroup(t.Context(), &ec2.CreateSecurityGroupInput{
		GroupName: &name, Description: sdk.String("test"), VpcId: sdk.String(f.Network().VpcID),
		TagSpecifications: []types.TagSpecification{{
			ResourceType: types.ResourceTypeSecurityGroup,
			Tags:         []types.Tag{{Key: sdk.String("made"), Value: sdk.String("together")}},
		}},
	}))
	return *out.GroupId
}

func describeGroup(t *testing.T, f *fixture, id string) types.SecurityGroup {
	t.Helper()
	out := must[*ec2.DescribeSecurityGroupsOutput](t)(f.ec2(aws.RoleControlPlane).DescribeSecurityGroups(t.Context(),
		&ec2.DescribeSecurityGroupsInput{GroupIds: []string{id}}))
	return out.SecurityGroups[0]
}

func tcp(port int32, cidrs ...string) types.IpPermission {
	p := types.IpPermission{IpProtocol: sdk.String("tcp"), FromPort: &port, ToPort: &port}
	for _, cidr := range cidrs {
		p.IpRanges = append(p.IpRanges, types.IpRange{CidrIp: sdk.String(cidr)})
	}
	return p
}

func TestSecurityGroupRules(t *testing.T) {
	f := newFixture(t, aws.Options{})
	id, client := newGroup(t, f, "k8s-elb-x"), f.ec2(aws.RoleControlPlane)
	authorize := func(p ...types.IpPermission) error {
		_, err := client.AuthorizeSecurityGroupIngress(t.Context(), &ec2.AuthorizeSecurityGroupIngressInput{GroupId: &id, IpPermissions: p})
		return err
	}
	revoke := func(p ...types.IpPermission) error {
		_, err := client.RevokeSecurityGroupIngress(t.Context(), &ec2.RevokeSecurityGroupIngressInput{GroupId: &id, IpPermissions: p})
		return err
	}
	if err := authorize(tcp(80, "0.0.0.0/0"), tcp(443, "10.0.0.0/8")); err != nil {
		t.Fatal(err)
	}
	if err := authorize(tcp(443, "192.168.0.0/16"), tcp(80, "0.0.0.0/0")); code(t, err) != "InvalidPermission.Duplicate" {
		t.Error(err)
	}
	if got := len(describeGroup(t, f, id).IpPermissions); got != 2 {
		t.Fatalf("%d permissions after a refused call, want 2: all or nothing", got)
	}
	if err := authorize(tcp(443, "192.168.0.0/16")); err != nil {
		t.Fatal(err)
	}
	if got := describeGroup(t, f, id).IpPermissions; len(got) != 2 || len(got[1].IpRanges) != 2 {
		t.Errorf("rules of one port are not shown together: %v", got)
	}
	if err := revoke(tcp(8080, "0.0.0.0/0")); code(t, err) != "InvalidPermission.NotFound" {
		t.Error(err)
	}
	if err := revoke(tcp(443, "10.0.0.0/8")); err != nil {
		t.Fatal(err)
	}
	if got := describeGroup(t, f, id).IpPermissions[1].IpRanges; len(got) != 1 || *got[0].CidrIp != "192.168.0.0/16" {
		t.Errorf("ranges left: %v", got)
	}
	if err := authorize(tcp(90000, "0.0.0.0/0")); code(t, err) != "InvalidParameterValue" {
		t.Error(err)
	}
}

func TestSecurityGroupLife(t *testing.T) {
	f := newFixture(t, aws.Options{})
	client := f.ec2(aws.RoleControlPlane)
	id := newGroup(t, f, "k8s-elb-x")
	if _, err := client.CreateSecurityGroup(t.Context(), &ec2.CreateSecurityGroupInput{
		GroupName: sdk.String("k8s-elb-x"), Description: sdk.String("again")}); code(t, err) != "InvalidGroup.Duplicate" {
		t.Error(err)
	}
	must[*ec2.CreateTagsOutput](t)(client.CreateTags(t.Context(), &ec2.CreateTagsInput{
		Resources: []string{id}, Tags: []types.Tag{{Key: sdk.String("kubernetes.io/cluster/demo"), Value: sdk.String("owned")}}}))
	if got := f.Tags(id); got["made"] != "together" || got["kubernetes.io/cluster/demo"] != "owned" {
		t.Errorf("tags = %v", got)
	}
	node := f.Network().NodeSecurityGroup
	all := []types.IpPermission{{IpProtocol: sdk.String("-1"), UserIdGroupPairs: []types.UserIdGroupPair{{GroupId: &id}}}}
	must[*ec2.AuthorizeSecurityGroupIngressOutput](t)(client.AuthorizeSecurityGroupIngress(t.Context(),
		&ec2.AuthorizeSecurityGroupIngressInput{GroupId: &node, IpPermissions: all}))
	found := must[*ec2.DescribeSecurityGroupsOutput](t)(client.DescribeSecurityGroups(t.Context(),
		&ec2.DescribeSecurityGroupsInput{Filters: []types.Filter{filter("ip-permission.group-id", id)}}))
	if len(found.SecurityGroups) != 1 || *found.SecurityGroups[0].GroupId != node {
		t.Errorf("groups that let %s in: %v", id, found.SecurityGroups)
	}
	remove := func() error {
		_, err := client.DeleteSecurityGroup(t.Context(), &ec2.DeleteSecurityGroupInput{GroupId: &id})
		return err
	}
	if err := remove(); code(t, err) != "DependencyViolation" {
		t.Error(err)
	}
	must[*ec2.RevokeSecurityGroupIngressOutput](t)(client.RevokeSecurityGroupIngress(t.Context(),
		&ec2.RevokeSecurityGroupIngressInput{GroupId: &node, IpPermissions: all}))
	if err := remove(); err != nil {
		t.Error(err)
	}
	if err := remove(); code(t, err) != "InvalidGroup.NotFound" {
		t.Error(err)
	}
	f.run(t, aws.Instance{})
	if _, err := client.DeleteSecurityGroup(t.Context(), &ec2.DeleteSecurityGroupInput{GroupId: &node}); code(t, err) != "DependencyViolation" {
		t.Error(err)
	}
}

func TestDeleteTagsWithValue(t *testing.T) {
	f := newFixture(t, aws.Options{})
	i := f.run(t, aws.Instance{Tags: map[string]string{"a": "1", "b": "2"}})
	if err := f.SetPolicy("tagger", []string{"ec2:DeleteTags"}); err != nil {
		t.Fatal(err)
	}
	must[*ec2.DeleteTagsOutput](t)(f.ec2("tagger").DeleteTags(t.Context(), &ec2.DeleteTagsInput{
		Resources: []string{i.ID}, Tags: []types.Tag{{Key: sdk.String("a"), Value: sdk.String("other")}, {Key: sdk.String("b")}}}))
	if got := f.Tags(i.ID); len(got) != 1 || got["a"] != "1" {
		t.Errorf("tags = %v, want only a=1", got)
	}
}
