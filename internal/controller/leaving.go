package controller

import (
	"context"
	"fmt"

	"golang.org/x/sync/errgroup"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/fleet"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
)

// maxConcurrentReads is the maximum number of concurrent reads of clusters.
const maxConcurrentReads = 8

// Leaves reads every cluster with a journal once, before the controller is removed. It watches
// and writes nothing. A cluster that cannot be read has the error in its row; if Leaves returns
// an error, rows may be missing.
func (c *Controller) Leaves(ctx context.Context) ([]fleet.Left, error) {
	var kept []journalEntry
	for _, namespace := range c.o.Namespaces {
		clusters, err := c.rancher.Resource(provisioningClusters).Namespace(namespace).List(ctx, metav1.ListOptions{})
		if err != nil {
			return nil, fmt.Errorf("list the Clusters of namespace %s: %w", namespace, err)
		}
		names := make([]string, len(clusters.Items))
		for i := range clusters.Items {
			names[i] = clusters.Items[i].GetName()
		}
		found, err := c.findJournals(ctx, namespace, names)
		if err != nil {
			return nil, fmt.Errorf("look for journals of namespace %s: %w", namespace, err)
		}
		kept = append(kept, found...)
	}
	rows := make([]fleet.Left, len(kept))
	var group errgroup.Group
	group.SetLimit(maxConcurrentReads)
	for i, j := range kept {
		group.Go(func() error {
			rows[i] = c.left(ctx, j)
			return nil
		})
	}
	return rows, group.Wait()
}

func (c *Controller) left(ctx context.Context, j journalEntry) fleet.Left {
	row := fleet.Left{Cluster: j.cluster.String()}
	if !c.o.Scope.covers(j.cluster.Name) {
		return row
	}
	var l *look
	if err := recoverPanic(ctx, func(ctx context.Context) error {
		l = c.lookAt(ctx, &cluster{key: j.cluster}, nil)
		return nil
	}); err != nil {
		l = &look{err: err}
	}
	switch {
	case l.gone:
	case l.err != nil:
		row.Unread, row.Open = fault.Headline(l.err), c.leftOpen(ctx, j)
	default:
		row.Step, row.PausedRollout = string(l.seen.UnderWay), pauseCause(l.seen)
	}
	return row
}

// leftOpen reports whether the journal may have an unfinished run. It returns true if the journal
// cannot be read.
func (c *Controller) leftOpen(ctx context.Context, j journalEntry) bool {
	state, there, err := journal.Look(ctx, c.kube, j.namespace, journal.Name(j.cluster.Name))
	return err != nil || there && state.Record().LeftOpen
}
