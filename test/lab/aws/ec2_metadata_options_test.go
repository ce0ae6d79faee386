package aws_test

import (
	"testing"

	sdk "github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	"github.com/aws/aws-sdk-go-v2/service/ec2/types"

	"github.com/awsmigrate/awsmigrate/test/lab/aws"
)

func TestModifyInstanceMetadataOptions(t *testing.T) {
	f := newFixture(t, aws.Options{})
	if err := f.SetPolicy("admin", []string{"ec2:*"}); err != nil {
		t.Fatal(err)
	}
	i := f.run(t, aws.Instance{HTTPTokens: "required", HopLimit: 2})
	url, client := metadataServer(t, f, i.ID)+"/latest/meta-data/instance-id", f.ec2("admin")
	for _, step := range []struct {
		in       ec2.ModifyInstanceMetadataOptionsInput
		status   int // of a question without a token
		tokens   types.HttpTokensState
		endpoint types.InstanceMetadataEndpointState
		hops     int32
	}{
		{ec2.ModifyInstanceMetadataOptionsInput{HttpTokens: "optional"}, 200, "optional", "enabled", 2},
		{ec2.ModifyInstanceMetadataOptionsInput{HttpEndpoint: "disabled"}, 403, "optional", "disabled", 2},
		{ec2.ModifyInstanceMetadataOptionsInput{HttpEndpoint: "enabled", HttpPutResponseHopLimit: sdk.Int32(64)}, 200, "optional", "enabled", 64},
		{ec2.ModifyInstanceMetadataOptionsInput{HttpTokens: "required"}, 401, "required", "enabled", 64},
	} {
		step.in.InstanceId = &i.ID
		out := must[*ec2.ModifyInstanceMetadataOptionsOutput](t)(client.ModifyInstanceMetadataOptions(t.Context(), &step.in))
		if *out.InstanceId != i.ID || out.InstanceMetadataOptions.State != "pending" {
			t.Errorf("answer %s %s, want %s pending", *out.InstanceId, out.InstanceMetadataOptions.State, i.ID)
		}
		described := must[*ec2.DescribeInstancesOutput](t)(client.DescribeInstances(t.Context(), &ec2.DescribeInstancesInput{InstanceIds: []string{i.ID}}))
		got := described.Reservations[0].Instances[0].MetadataOptions
		if got.State != "applied" || got.HttpTokens != step.tokens || got.HttpEndpoint != step.endpoint || *got.HttpPutResponseHopLimit != step.hops {
			t.Errorf("options %+v, want %s, %s, %d", got, step.tokens, step.endpoint, step.hops)
		}
		if status, _ := get(t, url); status != step.status {
			t.Errorf("metadata = %d, want %d", status, step.status)
		}
	}
}

func TestModifyInstanceMetadataOptionsRefuses(t *testing.T) {
	f := newFixture(t, aws.Options{})
	if err := f.SetPolicy("admin", []string{"ec2:*"}); err != nil {
		t.Fatal(err)
	}
	i, gone := f.run(t, aws.Instance{HTTPTokens: "required"}), f.run(t, aws.Instance{})
	if err := f.SetInstanceState(gone.ID, aws.StateTerminated); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		role string
		in   ec2.ModifyInstanceMetadataOptionsInput
		want string
	}{
		"absent":         {"admin", ec2.ModifyInstanceMetadataOptionsInput{InstanceId: sdk.String("i-0123456789abcdef0")}, "InvalidInstanceID.NotFound"},
		"terminated":     {"admin", ec2.ModifyInstanceMetadataOptionsInput{InstanceId: &gone.ID}, "IncorrectInstanceState"},
		"tokens":         {"admin", ec2.ModifyInstanceMetadataOptionsInput{InstanceId: &i.ID, HttpTokens: "optional,"}, "InvalidParameterValue"},
		"hop limit":      {"admin", ec2.ModifyInstanceMetadataOptionsInput{InstanceId: &i.ID, HttpTokens: "optional", HttpPutResponseHopLimit: sdk.Int32(65)}, "InvalidParameterValue"},
		"not kept here":  {"admin", ec2.ModifyInstanceMetadataOptionsInput{InstanceId: &i.ID, InstanceMetadataTags: "enabled"}, "UnsupportedOperation"},
		"not authorised": {aws.RoleOperator, ec2.ModifyInstanceMetadataOptionsInput{InstanceId: &i.ID, HttpTokens: "optional"}, "UnauthorizedOperation"},
	} {
		if _, err := f.ec2(c.role).ModifyInstanceMetadataOptions(t.Context(), &c.in); code(t, err) != c.want {
			t.Errorf("%s: %v, want %s", name, err, c.want)
		}
	}
	if now, _ := f.Instance(i.ID); now.HTTPTokens != "required" {
		t.Error("a refused call changed the instance")
	}
}
