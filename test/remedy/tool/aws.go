package tool

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"strings"

	sdk "github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	"github.com/aws/aws-sdk-go-v2/service/ec2/types"
	"github.com/aws/aws-sdk-go-v2/service/iam"
)

// options holds the options of a command line with their values.
type options map[string][]string

func (o options) one(name string) string { return strings.Join(o[name], " ") }

// command is a command of the AWS CLI. In its options, "!" marks required ones and "+" those with
// several values.
type command struct {
	options string
	run     func(context.Context, sdk.Config, options) error
}

func awsCommands() map[string]command {
	const tagging = "resources!+ tags!+ region"
	return map[string]command{
		"ec2 create-tags": {tagging, func(ctx context.Context, cfg sdk.Config, o options) error {
			tags, err := shorthand(o["tags"])
			if err == nil {
				_, err = ec2.NewFromConfig(cfg).CreateTags(ctx, &ec2.CreateTagsInput{Resources: o["resources"], Tags: tags})
			}
			return err
		}},
		"ec2 delete-tags": {tagging, func(ctx context.Context, cfg sdk.Config, o options) error {
			tags, err := shorthand(o["tags"])
			if err == nil {
				_, err = ec2.NewFromConfig(cfg).DeleteTags(ctx, &ec2.DeleteTagsInput{Resources: o["resources"], Tags: tags})
			}
			return err
		}},
		"ec2 modify-instance-metadata-options": {"instance-id! http-tokens http-endpoint region", func(ctx context.Context, cfg sdk.Config, o options) error {
			_, err := ec2.NewFromConfig(cfg).ModifyInstanceMetadataOptions(ctx, &ec2.ModifyInstanceMetadataOptionsInput{
				InstanceId: sdk.String(o.one("instance-id")), HttpTokens: types.HttpTokensState(o.one("http-tokens")),
				HttpEndpoint: types.InstanceMetadataEndpointState(o.one("http-endpoint")),
			})
			return err
		}},
		"iam put-role-policy": {"role-name! policy-name! policy-document! region", func(ctx context.Context, cfg sdk.Config, o options) error {
			_, err := iam.NewFromConfig(cfg).PutRolePolicy(ctx, &iam.PutRolePolicyInput{
				RoleName: sdk.String(o.one("role-name")), PolicyName: sdk.String(o.one("policy-name")), PolicyDocument: sdk.String(o.one("policy-document")),
			})
			return err
		}},
	}
}

func runAWS(ctx context.Context, args []string) error {
	name := strings.Join(args[:min(len(args), 2)], " ")
	commands := awsCommands()
	maps.Copy(commands, balancerCommands())
	c, known := commands[name]
	if !known {
		return fmt.Errorf("aws %s: invalid choice", name)
	}
	o, err := parse(c.options, args[2:])
	if err != nil {
		return fmt.Errorf("aws %s: %w", name, err)
	}
	cfg, err := config.LoadDefaultConfig(ctx)
	if err != nil {
		return fmt.Errorf("reading the configuration: %w", err)
	}
	cfg.Region = cmp.Or(o.one("region"), cfg.Region)
	switch {
	case cfg.Region != "":
	case args[0] == "iam": // IAM has one endpoint for all regions
		cfg.Region = "us-east-1"
	default:
		return errors.New("you must specify a region")
	}
	return c.run(ctx, cfg, o)
}

// parse accepts options in full; the AWS CLI accepts more forms.
func parse(known string, args []string) (options, error) {
	o, several, last := options{}, map[string]bool{}, ""
	for option := range strings.FieldsSeq(known) {
		several[strings.TrimRight(option, "!+")] = strings.HasSuffix(option, "+")
	}
	for _, arg := range args {
		name, is := strings.CutPrefix(arg, "--")
		_, takes := several[name]
		switch {
		case is && takes:
			last, o[name] = name, []string{}
		case !is && last != "" && (several[last] || len(o[last]) == 0):
			o[last] = append(o[last], arg)
		default:
			return nil, fmt.Errorf("unknown options: %s", arg)
		}
	}
	for option := range strings.FieldsSeq(known) {
		name := strings.TrimRight(option, "!+")
		if values, given := o[name]; given && len(values) == 0 || !given && strings.Contains(option, "!") {
			return nil, fmt.Errorf("the following arguments are required: --%s with a value", name)
		}
	}
	return o, nil
}

// shorthand parses Key=name,Value=value.
func shorthand(texts []string) ([]types.Tag, error) {
	var tags []types.Tag
	for _, text := range texts {
		var tag types.Tag
		for part := range strings.SplitSeq(text, ",") {
			switch name, value, has := strings.Cut(part, "="); {
			case has && name == "Key":
				tag.Key = &value
			case has && name == "Value":
				tag.Value = &value
			default:
				return nil, fmt.Errorf("parameter --tags: %q, wanted Key= or Value=", part)
			}
		}
		tags = append(tags, tag)
	}
	return tags, nil
}
