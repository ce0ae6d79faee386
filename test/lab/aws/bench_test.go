package aws_test

import (
	"net/http"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/ec2"

	"github.com/awsmigrate/awsmigrate/test/lab/aws"
)

// BenchmarkDescribe5000Instances reads EC2 as one audit does: five pages of a thousand.
func BenchmarkDescribe5000Instances(b *testing.B) {
	f := &fixture{Cloud: aws.New(aws.Options{}), http: http.DefaultClient}
	f.serve(b)
	for n := range 5000 {
		if _, err := f.RunInstance(aws.Instance{Zone: []string{"us-east-1a", "us-east-1b"}[n%2]}); err != nil {
			b.Fatal(err)
		}
	}
	client := f.ec2(aws.RoleOperator)
	for b.Loop() {
		pager, got := ec2.NewDescribeInstancesPaginator(client, &ec2.DescribeInstancesInput{}), 0
		for pager.HasMorePages() {
			out, err := pager.NextPage(b.Context())
			if err != nil {
				b.Fatal(err)
			}
			got += len(out.Reservations)
		}
		if got != 5000 {
			b.Fatalf("%d instances, want 5000", got)
		}
	}
}
