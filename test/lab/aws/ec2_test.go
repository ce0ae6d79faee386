package aws_test

import (
	"fmt"
	"slices"
	"testing"

	sdk "github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	"github.com/aws/aws-sdk-go-v2/service/ec2/types"
	"github.com/google/go-cmp/cmp"

	"github.com/awsmigrate/awsmigrate/test/lab/aws"
)

func filter(name string, values ...string) types.Filter {
	return types.Filter{Name: sdk.String(name), Values: values}
}

func TestDescribeInstanceShowsWhatProvidersRead(t *testing.T) {
	f := newFixture(t, aws.Options{})
	i := f.run(t, aws.Instance{Name: "cp-0", Zone: "us-east-1b", PrivateIP: "10.0.2.77", Role: aws.RoleControlPlane, HTTPTokens: "required", HopLimit: 2})
	out := must[*ec2.DescribeInstancesOutput](t)(f.ec2(aws.RoleControlPlane).DescribeInstances(t.Context(),
		&ec2.DescribeInstancesInput{InstanceIds: []string{i.ID}}))
	got := out.Reservations[0].Instances[0]
	net := f.Network()
	for what, pair := range map[string][2]string{
		"id":             {*got.InstanceId, i.ID},
		"private dns":    {*got.PrivateDnsName, "ip-10-0-2-77.ec2.internal"},
		"private ip":     {*got.PrivateIpAddress, "10.0.2.77"},
		"state":          {string(got.State.Name), "running"},
		"zone":           {*got.Placement.AvailabilityZone, "us-east-1b"},
		"subnet":         {*got.SubnetId, net.Subnets["us-east-1b"]},
		"vpc":            {*got.VpcId, net.VpcID},
		"group":          {*got.SecurityGroups[0].GroupId, net.NodeSecurityGroup},
		"profile":        {*got.IamInstanceProfile.Arn, "arn:aws:iam::123456789012:instance-profile/control-plane-profile"},
		"tokens":         {string(got.MetadataOptions.HttpTokens), "required"},
		"interface ip":   {*got.NetworkInterfaces[0].PrivateIpAddresses[0].PrivateIpAddress, "10.0.2.77"},
		"interface name": {*got.NetworkInterfaces[0].PrivateDnsName, "ip-10-0-2-77.ec2.internal"},
	} {
		if pair[0] != pair[1] {
			t.Errorf("%s = %q, want %q", what, pair[0], pair[1])
		}
	}
	if *got.MetadataOptions.HttpPutResponseHopLimit != 2 {
		t.Errorf("hop limit = %d, want 2", *got.MetadataOptions.HttpPutResponseHopLimit)
	}
	tags := map[string]string{}
	for _, tag := range got.Tags {
		tags[*tag.Key] = *tag.Value
	}
	if diff := cmp.Diff(map[string]string{"Name": "cp-0", "kubernetes.io/cluster/demo": "owned"}, tags); diff != "" {
		t.Error(diff)
	}
}

func TestDescribeInstancesFilters(t *testing.T) {
	f := newFixture(t, aws.Options{})
	a := f.run(t, aws.Instance{Name: "a", Zone: "us-east-1a"})
	b := f.run(t, aws.Instance{Name: "b", Zone: "us-east-1b", Tags: map[string]string{"team": "blue"}})
	gone := f.run(t, aws.Instance{Name: "gone"})
	if err := f.SetInstanceState(gone.ID, aws.StateTerminated); err != nil {
		t.Fatal(err)
	}
	cases := map[string]struct {
		filters []types.Filter
		want    []string
	}{
		"private dns name":      {[]types.Filter{filter("private-dns-name", a.PrivateDNSName, b.PrivateDNSName)}, []string{"a", "b"}},
		"name of the gone":      {[]types.Filter{filter("private-dns-name", gone.PrivateDNSName)}, nil},
		"state":                 {[]types.Filter{filter("instance-state-name", "terminated")}, []string{"gone"}},
		"tag":                   {[]types.Filter{filter("tag:team", "blue")}, []string{"b"}},
		"tag key":               {[]types.Filter{filter("tag-key", "kubernetes.io/cluster/demo")}, []string{"a", "gone"}},
		"wildcard":              {[]types.Filter{filter("tag:Name", "?")}, []string{"a", "b"}},
		"filters are and":       {[]types.Filter{filter("tag:Name", "*"), filter("availability-zone", "us-east-1b")}, []string{"b"}},
		"values are or":         {[]types.Filter{filter("instance-id", a.ID, b.ID)}, []string{"a", "b"}},
		"wildcard is not regex": {[]types.Filter{filter("tag:Name", ".*")}, nil},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			out := must[*ec2.DescribeInstancesOutput](t)(f.ec2(aws.RoleControlPlane).DescribeInstances(t.Context(),
				&ec2.DescribeInstancesInput{Filters: c.filters}))
			if diff := cmp.Diff(c.want, names(out)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func names(out *ec2.DescribeInstancesOutput) []string {
	var got []string
	for _, r := range out.Reservations {
		for _, i := range r.Instances {
			for _, tag := range i.Tags {
				if *tag.Key == "Name" {
					got = append(got, *tag.Value)
				}
			}
		}
	}
	return got
}

func TestDescribeInstancesRefuses(t *testing.T) {
	f := newFixture(t, aws.Options{})
	i := f.run(t, aws.Instance{})
	many := make([]string, 201)
	for n := range many {
		many[n] = fmt.Sprint("ip-", n)
	}
	cases := map[string]struct {
		in   ec2.DescribeInstancesInput
		want string
	}{
		"absent":             {ec2.DescribeInstancesInput{InstanceIds: []string{i.ID, "i-0123456789abcdef0"}}, "InvalidInstanceID.NotFound"},
		"malformed":          {ec2.DescribeInstancesInput{InstanceIds: []string{"i-xyz"}}, "InvalidInstanceID.Malformed"},
		"unknown filter":     {ec2.DescribeInstancesInput{Filters: []types.Filter{filter("colour", "x")}}, "InvalidParameterValue"},
		"filter values":      {ec2.DescribeInstancesInput{Filters: []types.Filter{filter("private-dns-name", many...)}}, "FilterLimitExceeded"},
		"ids and pages":      {ec2.DescribeInstancesInput{InstanceIds: []string{i.ID}, MaxResults: sdk.Int32(10)}, "InvalidParameterCombination"},
		"page too small":     {ec2.DescribeInstancesInput{MaxResults: sdk.Int32(4)}, "InvalidParameterValue"},
		"page too large":     {ec2.DescribeInstancesInput{MaxResults: sdk.Int32(1001)}, "InvalidParameterValue"},
		"token of no page":   {ec2.DescribeInstancesInput{NextToken: sdk.String("abc")}, "InvalidNextToken"},
		"dry run of allowed": {ec2.DescribeInstancesInput{DryRun: sdk.Bool(true)}, "DryRunOperation"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			_, err := f.ec2(aws.RoleControlPlane).DescribeInstances(t.Context(), &c.in)
			if got := code(t, err); got != c.want {
				t.Errorf("code = %s, want %s", got, c.want)
			}
		})
	}
}

func TestDescribeInstancesPages(t *testing.T) {
	for _, c := range []struct{ cap, asked, pages int }{{0, 0, 1}, {7, 0, 4}, {0, 10, 3}, {7, 10, 4}, {100, 5, 5}} {
		t.Run(fmt.Sprint(c), func(t *testing.T) {
			f := newFixture(t, aws.Options{PageSize: c.cap})
			want := []string{}
			for range 23 {
				want = append(want, f.run(t, aws.Instance{}).ID)
			}
			in := &ec2.DescribeInstancesInput{}
			if c.asked > 0 {
				in.MaxResults = sdk.Int32(int32(c.asked))
			}
			pager, got, pages := ec2.NewDescribeInstancesPaginator(f.ec2(aws.RoleControlPlane), in), []string{}, 0
			for pager.HasMorePages() {
				out := must[*ec2.DescribeInstancesOutput](t)(pager.NextPage(t.Context()))
				pages++
				for _, r := range out.Reservations {
					got = append(got, *r.Instances[0].InstanceId)
				}
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Error(diff)
			}
			if pages != c.pages {
				t.Errorf("%d pages, want %d", pages, c.pages)
			}
		})
	}
}

func TestPagesSurviveChanges(t *testing.T) {
	f := newFixture(t, aws.Options{})
	var ids []string
	for range 12 {
		ids = append(ids, f.run(t, aws.Instance{}).ID)
	}
	client := f.ec2(aws.RoleControlPlane)
	first := must[*ec2.DescribeInstancesOutput](t)(client.DescribeInstances(t.Context(), &ec2.DescribeInstancesInput{MaxResults: sdk.Int32(5)}))
	for _, id := range ids[3:6] {
		if err := f.ForgetInstance(id); err != nil {
			t.Fatal(err)
		}
	}
	second := must[*ec2.DescribeInstancesOutput](t)(client.DescribeInstances(t.Context(),
		&ec2.DescribeInstancesInput{MaxResults: sdk.Int32(5), NextToken: first.NextToken}))
	if got := *second.Reservations[0].Instances[0].InstanceId; got != ids[6] {
		t.Errorf("second page begins with %s, want %s", got, ids[6])
	}
}

func TestTerminateAndForget(t *testing.T) {
	f := newFixture(t, aws.Options{})
	i := f.run(t, aws.Instance{})
	if err := f.SetPolicy("admin", []string{"ec2:*"}); err != nil {
		t.Fatal(err)
	}
	client := f.ec2("admin")
	out := must[*ec2.TerminateInstancesOutput](t)(client.TerminateInstances(t.Context(), &ec2.TerminateInstancesInput{InstanceIds: []string{i.ID}}))
	if got := out.TerminatingInstances[0]; got.PreviousState.Name != "running" || got.CurrentState.Name != "terminated" {
		t.Errorf("changed %s → %s", got.PreviousState.Name, got.CurrentState.Name)
	}
	described := must[*ec2.DescribeInstancesOutput](t)(client.DescribeInstances(t.Context(), &ec2.DescribeInstancesInput{InstanceIds: []string{i.ID}}))
	if got := described.Reservations[0].Instances[0]; got.VpcId != nil || sdk.ToString(got.PrivateDnsName) != "" {
		t.Errorf("a terminated instance still has VPC %v and name %v", got.VpcId, got.PrivateDnsName)
	}
	if err := f.SetInstanceState(i.ID, aws.StateRunning); err == nil {
		t.Error("a terminated instance came back")
	}
	if err := f.ForgetInstance(i.ID); err != nil {
		t.Fatal(err)
	}
	_, err := client.DescribeInstances(t.Context(), &ec2.DescribeInstancesInput{InstanceIds: []string{i.ID}})
	if got := code(t, err); got != "InvalidInstanceID.NotFound" {
		t.Errorf("code = %s", got)
	}
}

func TestNetworkIsWhatFindELBSubnetsNeeds(t *testing.T) {
	f := newFixture(t, aws.Options{})
	client, net := f.ec2(aws.RoleControlPlane), f.Network()
	subnets := must[*ec2.DescribeSubnetsOutput](t)(client.DescribeSubnets(t.Context(),
		&ec2.DescribeSubnetsInput{Filters: []types.Filter{filter("vpc-id", net.VpcID), filter("tag-key", "kubernetes.io/cluster/demo")}}))
	var zones []string
	for _, s := range subnets.Subnets {
		zones = append(zones, *s.AvailabilityZone+" "+*s.AvailabilityZoneId)
	}
	if diff := cmp.Diff([]string{"us-east-1a use1-az1", "us-east-1b use1-az2", "us-east-1c use1-az3"}, zones); diff != "" {
		t.Error(diff)
	}
	tables := must[*ec2.DescribeRouteTablesOutput](t)(client.DescribeRouteTables(t.Context(),
		&ec2.DescribeRouteTablesInput{Filters: []types.Filter{filter("vpc-id", net.VpcID)}}))
	table := tables.RouteTables[0]
	public := slices.ContainsFunc(table.Routes, func(r types.Route) bool {
		return *r.DestinationCidrBlock == "0.0.0.0/0" && (*r.GatewayId)[:4] == "igw-"
	})
	if !public || !*table.Associations[0].Main {
		t.Errorf("table %s is not the main table with an internet gateway", *table.RouteTableId)
	}
	places := must[*ec2.DescribeAvailabilityZonesOutput](t)(client.DescribeAvailabilityZones(t.Context(),
		&ec2.DescribeAvailabilityZonesInput{Filters: []types.Filter{filter("zone-type", "availability-zone")}}))
	if len(places.AvailabilityZones) != 3 {
		t.Errorf("%d zones, want 3", len(places.AvailabilityZones))
	}
}

func TestRoutes(t *testing.T) {
	f := newFixture(t, aws.Options{})
	i, client, table := f.run(t, aws.Instance{}), f.ec2(aws.RoleControlPlane), f.Network().RouteTableID
	must[*ec2.ModifyInstanceAttributeOutput](t)(client.ModifyInstanceAttribute(t.Context(), &ec2.ModifyInstanceAttributeInput{
		InstanceId: &i.ID, SourceDestCheck: &types.AttributeBooleanValue{Value: sdk.Bool(false)}}))
	if got, _ := f.Instance(i.ID); got.SourceDestCheck {
		t.Error("SourceDestCheck is still on")
	}
	create := &ec2.CreateRouteInput{RouteTableId: &table, DestinationCidrBlock: sdk.String("10.42.0.0/24"), InstanceId: &i.ID}
	must[*ec2.CreateRouteOutput](t)(client.CreateRoute(t.Context(), create))
	if _, err := client.CreateRoute(t.Context(), create); code(t, err) != "RouteAlreadyExists" {
		t.Error(err)
	}
	state := func() string {
		out := must[*ec2.DescribeRouteTablesOutput](t)(client.DescribeRouteTables(t.Context(), &ec2.DescribeRouteTablesInput{RouteTableIds: []string{table}}))
		for _, r := range out.RouteTables[0].Routes {
			if *r.DestinationCidrBlock == "10.42.0.0/24" {
				return string(r.State)
			}
		}
		return "absent"
	}
	if got := state(); got != "active" {
		t.Errorf("route is %s, want active", got)
	}
	if err := f.SetInstanceState(i.ID, aws.StateTerminated); err != nil {
		t.Fatal(err)
	}
	if got := state(); got != "blackhole" {
		t.Errorf("route is %s, want blackhole", got)
	}
	must[*ec2.DeleteRouteOutput](t)(client.DeleteRoute(t.Context(), &ec2.DeleteRouteInput{RouteTableId: &table, DestinationCidrBlock: sdk.String("10.42.0.0/24")}))
	if got := state(); got != "absent" {
		t.Errorf("route is %s, want absent", got)
	}
}
