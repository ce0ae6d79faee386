package cluster

import (
	"context"

	"golang.org/x/sync/errgroup"

	"github.com/awsmigrate/awsmigrate/test/lab/aws"
	"github.com/awsmigrate/awsmigrate/test/lab/component"
	"github.com/awsmigrate/awsmigrate/test/lab/podstarter"
)

// startJobs runs the real controllers and the pod starter for Jobs and Deployments of the
// management cluster, if the options name images for their pods. Pods find the AWS role of the
// user of awsmigrate, as a pod finds that of its machine.
func (l *Lab) startJobs(ctx context.Context, parts *errgroup.Group) error {
	if len(l.options.PodImages) == 0 {
		return nil
	}
	name := "kube-controller-manager@management"
	_, err := l.supervisor.Start(component.JobController{
		Binaries: l.binaries, Name: name, Log: l.files.Log(name), Kubeconfig: l.files.Kubeconfig("management"), CAFile: l.files.ca("management"),
	}.Spec())
	if err != nil {
		return err
	}
	id, secret, session := l.cloud.Credentials(aws.RoleOperator)
	parts.Go(func() error {
		return podstarter.Run(ctx, podstarter.Config{
			API: l.management, Programs: l.options.PodImages, Dir: l.files.in("management"), Supervisor: l.supervisor, Log: l.log,
			TokenLifetime: l.options.TokenLifetime,
			Env: []string{
				"AWS_ENDPOINT_URL=" + l.awsEndpoint("awsmigrate"), "AWS_REGION=us-east-1", "AWS_EC2_METADATA_DISABLED=true",
				"AWS_ACCESS_KEY_ID=" + id, "AWS_SECRET_ACCESS_KEY=" + secret, "AWS_SESSION_TOKEN=" + session,
			},
		})
	})
	return nil
}
