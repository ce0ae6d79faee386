package node

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials/ec2rolecreds"
	"github.com/aws/aws-sdk-go-v2/feature/ec2/imds"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
)

// Instance describes a machine as EC2 shows it.
type Instance struct {
	ID, Type, Zone            string
	PrivateIP, PublicIP       string
	PrivateDNSName, PublicDNS string
}

// Cloud answers the in-tree kubelet's only request.
type Cloud interface {
	// Self describes the instance that the caller runs on.
	Self(ctx context.Context) (Instance, error)
}

// EC2 returns the cloud of a machine with this metadata service: it gives the identity and the
// credentials for calls to the endpoint.
func EC2(imds, region, endpoint string) Cloud {
	return ec2Cloud{imds: imds, region: region, endpoint: endpoint}
}

// selfTimeout bounds both calls. The real provider retries for longer, but the kubelet is
// restarted every five seconds anyway.
const selfTimeout = 10 * time.Second

type ec2Cloud struct {
	imds, region, endpoint string
}

// Self gets the instance ID and credentials from the metadata service, then asks EC2.
func (c ec2Cloud) Self(ctx context.Context) (Instance, error) {
	ctx, cancel := context.WithTimeout(ctx, selfTimeout)
	defer cancel()
	metadata := imds.New(imds.Options{Endpoint: c.imds, Retryer: aws.NopRetryer{}})
	id, err := instanceID(ctx, metadata)
	if err != nil {
		return Instance{}, fmt.Errorf("error finding instance from the metadata service: %w", err)
	}
	client := ec2.New(ec2.Options{
		Region:       c.region,
		BaseEndpoint: aws.String(c.endpoint),
		Credentials: aws.NewCredentialsCache(ec2rolecreds.New(func(o *ec2rolecreds.Options) {
			o.Client = metadata
		})),
		HTTPClient: &http.Client{},
	})
	out, err := client.DescribeInstances(ctx, &ec2.DescribeInstancesInput{InstanceIds: []string{id}})
	if err != nil {
		return Instance{}, fmt.Errorf("error finding instance %s: %w", id, err)
	}
	for _, reservation := range out.Reservations {
		if len(reservation.Instances) > 0 {
			i := reservation.Instances[0]
			instance := Instance{
				ID: aws.ToString(i.InstanceId), Type: string(i.InstanceType),
				PrivateIP: aws.ToString(i.PrivateIpAddress), PublicIP: aws.ToString(i.PublicIpAddress),
				PrivateDNSName: aws.ToString(i.PrivateDnsName), PublicDNS: aws.ToString(i.PublicDnsName),
			}
			if i.Placement != nil {
				instance.Zone = aws.ToString(i.Placement.AvailabilityZone)
			}
			return instance, nil
		}
	}
	return Instance{}, errors.New("error finding instance " + id + ": instance not found")
}

func instanceID(ctx context.Context, metadata *imds.Client) (string, error) {
	out, err := metadata.GetMetadata(ctx, &imds.GetMetadataInput{Path: "instance-id"})
	if err != nil {
		return "", err
	}
	defer out.Content.Close()
	raw, err := io.ReadAll(out.Content)
	return string(raw), err
}
