// Command otherccm is the AWS cloud controller manager v1.26.0 with another opinion of
// load balancers, to show what happens when a release of it differs from the in-tree provider.
//
// It treats the value of a Service's annotation "lab/otherccm", "name=value;…", as further
// annotations, named without their prefix service.beta.kubernetes.io/. With "anew" it deletes
// the load balancer before it first ensures it. The tagging controller, which is off by default,
// is left out.
package main

import (
	"context"
	"os"
	"strings"
	"sync"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/informers"
	cloudprovider "k8s.io/cloud-provider"
	aws "k8s.io/cloud-provider-aws/pkg/providers/v1"
	"k8s.io/cloud-provider/app"
	"k8s.io/cloud-provider/app/config"
	"k8s.io/cloud-provider/options"
	"k8s.io/component-base/cli"
	cliflag "k8s.io/component-base/cli/flag"
	"k8s.io/klog/v2"
)

const annotation = "lab/otherccm"

func main() {
	opts, err := options.NewCloudControllerManagerOptions()
	if err != nil {
		klog.Fatal(err)
	}
	os.Exit(cli.Run(app.NewCloudControllerManagerCommand(opts, otherCloud, app.DefaultInitFuncConstructors, cliflag.NamedFlagSets{}, wait.NeverStop)))
}

func otherCloud(c *config.CompletedConfig) cloudprovider.Interface {
	provider, err := cloudprovider.InitCloudProvider(aws.ProviderName, c.ComponentConfig.KubeCloudShared.CloudProvider.CloudConfigFile)
	if err != nil || !provider.HasClusterID() {
		klog.Fatalf("cloud provider %v: %v", provider, err)
	}
	balancers, _ := provider.LoadBalancer()
	return cloud{provider.(*aws.Cloud), &otherBalancers{LoadBalancer: balancers}}
}

// cloud is the real provider but for its load balancers.
type cloud struct {
	*aws.Cloud
	balancers *otherBalancers
}

func (c cloud) LoadBalancer() (cloudprovider.LoadBalancer, bool) { return c.balancers, true }

var _ cloudprovider.InformerUser = cloud{}

func (c cloud) SetInformers(factory informers.SharedInformerFactory) { c.Cloud.SetInformers(factory) }

type otherBalancers struct {
	cloudprovider.LoadBalancer
	deleted sync.Map // UIDs of Services
}

func (b *otherBalancers) EnsureLoadBalancer(ctx context.Context, cluster string, s *v1.Service, nodes []*v1.Node) (*v1.LoadBalancerStatus, error) {
	other, anew := otherwise(s)
	if _, done := b.deleted.LoadOrStore(s.UID, true); anew && !done {
		if err := b.LoadBalancer.EnsureLoadBalancerDeleted(ctx, cluster, s); err != nil {
			return nil, err
		}
	}
	return b.LoadBalancer.EnsureLoadBalancer(ctx, cluster, other, nodes)
}

func (b *otherBalancers) UpdateLoadBalancer(ctx context.Context, cluster string, s *v1.Service, nodes []*v1.Node) error {
	other, _ := otherwise(s)
	return b.LoadBalancer.UpdateLoadBalancer(ctx, cluster, other, nodes)
}

// otherwise returns a Service with the further annotations.
func otherwise(s *v1.Service) (other *v1.Service, anew bool) {
	other = s.DeepCopy()
	for pair := range strings.SplitSeq(s.Annotations[annotation], ";") {
		name, value, _ := strings.Cut(pair, "=")
		switch {
		case name == "anew":
			anew = true
		case name != "":
			other.Annotations["service.beta.kubernetes.io/"+name] = value
		}
	}
	return other, anew
}
