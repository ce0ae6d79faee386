package scenario

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/google/go-cmp/cmp"
)

// Beginning describes a lab before any change, to compare with it after an undo.
type Beginning struct {
	Start  time.Time
	Nodes  map[string]Identity
	Config any // the text of cluster.yml, or Rancher's rkeConfig

	lab      *Lab
	objects  []string
	cordoned []string
}

// Beginning returns the lab's current state.
func (l *Lab) Beginning(ctx context.Context) (Beginning, error) {
	b := Beginning{lab: l, Start: time.Now()}
	var err error
	if b.Nodes, err = l.Identities(ctx); err != nil {
		return b, err
	}
	if b.Config, err = l.configuration(ctx); err != nil {
		return b, err
	}
	if b.objects, err = l.Objects(ctx); err != nil {
		return b, err
	}
	b.cordoned, err = l.Cordoned(ctx)
	return b, err
}

// updateMachines replaces the machines and their cordons by the current ones, after others added
// and removed machines.
func (b *Beginning) updateMachines(ctx context.Context) (err error) {
	if b.Nodes, err = b.lab.Identities(ctx); err != nil {
		return err
	}
	b.cordoned, err = b.lab.Cordoned(ctx)
	return err
}

// configuration returns the cluster's configuration. It omits Rancher's request for an etcd
// snapshot, because a snapshot cannot be undone.
func (l *Lab) configuration(ctx context.Context) (any, error) {
	if l.ClusterFile != "" {
		text, err := os.ReadFile(l.ClusterFile)
		return string(text), err
	}
	config, err := l.RKEConfig(ctx)
	delete(config, "etcdSnapshotCreate")
	return config, err
}

// Back checks that configuration, Nodes, cordons and objects are as before, and that no controller
// ran twice since. The error lists every difference.
func (b Beginning) Back(ctx context.Context) error {
	var problems []error
	differs := func(what string, was, is any, err error) {
		if err != nil {
			problems = append(problems, err)
		} else if diff := cmp.Diff(was, is); diff != "" {
			problems = append(problems, fmt.Errorf("%s:\n%s", what, diff))
		}
	}
	nodes, err := b.lab.Identities(ctx)
	differs("Nodes", b.Nodes, nodes, err)
	config, err := b.lab.configuration(ctx)
	differs("configuration", b.Config, config, err)
	objects, err := b.lab.Objects(ctx)
	// The count of reached goals stays, because an approval is valid only once.
	objects = slices.DeleteFunc(objects, func(name string) bool { return name == "configmap/awsmigrate" })
	differs("objects in kube-system and roles", b.objects, objects, err)
	cordoned, err := b.lab.Cordoned(ctx)
	differs("cordoned", b.cordoned, cordoned, err)
	if standing, err := b.lab.Standing(ctx); err != nil || !strings.HasPrefix(standing, "P0") {
		problems = append(problems, fmt.Errorf("position is %q, %w", standing, err))
	}
	if seen, text, err := b.lab.Observe(ctx, b.Start); err != nil || seen.Overlaps() > 0 || len(seen.Blind) > 0 {
		problems = append(problems, fmt.Errorf("observer: %w\n%s", err, text))
	}
	return errors.Join(problems...)
}

// values counts the values in a configuration, including those in lists and maps.
func values(config any) int {
	n := 0
	switch v := config.(type) {
	case map[string]any:
		for _, inner := range v {
			n += values(inner)
		}
	case []any:
		for _, inner := range v {
			n += values(inner)
		}
	default:
		return 1
	}
	return n
}
