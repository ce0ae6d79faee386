package sim

import (
	"context"

	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/migration/procedure"
	"github.com/awsmigrate/awsmigrate/pkg/rke"
	"github.com/awsmigrate/awsmigrate/pkg/rke/managed"
)

func (r Run) openManaged(ctx context.Context, down *rest.Config, kube kubernetes.Interface, management dynamic.Interface, home kubernetes.Interface, options migration.Options) (*procedure.Migration, kubernetes.Interface, error) {
	options.Snapshot = false // Rancher takes no snapshot for a run
	deps := managed.Deps{Management: management, Kube: kube, DownstreamConfig: down, Clock: r.Clock}
	m, err := managed.New(ctx, deps, managedID, rke.Options{Options: options, Cluster: managedID})
	if err != nil {
		return nil, nil, err
	}
	if r.Undo {
		return m.Undo(), home, nil
	}
	return m, home, nil
}
