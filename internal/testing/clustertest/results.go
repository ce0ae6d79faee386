package clustertest

import (
	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/verify/downstream"
	"github.com/awsmigrate/awsmigrate/pkg/verify/position"
)

// Resting returns a cluster at rest.
func Resting() migration.Reading { return migration.Reading{Object: "Cluster demo"} }

// Rolling returns a cluster whose Machine waits for its plan.
func Rolling() migration.Reading {
	return migration.Reading{Object: "Cluster demo", Pending: []migration.PendingCondition{{Object: "Machine cp", Seen: "waits for its plan"}}}
}

// ResultAt returns the result for a cluster at p.
func ResultAt(p position.Position) position.Result {
	return position.Result{Position: p, Summary: p.Summary(), Between: [2]position.Position{p, p}}
}

// ResultBetween returns the result for a cluster between two positions.
func ResultBetween(a, b position.Position) position.Result {
	return position.Result{Position: a, Mixed: true, Between: [2]position.Position{a, b}, Summary: "between"}
}

// CordonByUs cordons a Node as a run does.
func CordonByUs(node *downstream.Node) {
	node.Unschedulable, node.Annotations = true, map[string]string{downstream.AnnotationOurs: "run"}
}
