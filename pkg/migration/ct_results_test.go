package migration

import (
	"github.com/awsmigrate/awsmigrate/pkg/verify/downstream"
	"github.com/awsmigrate/awsmigrate/pkg/verify/position"
)

// resting is a cluster on which nothing moves.
func resting() Reading { return Reading{Object: "Cluster demo"} }

func rolling() Reading {
	return Reading{Object: "Cluster demo", Unrest: []Unrest{{Object: "Machine cp", Seen: "waits for its plan"}}}
}

func at(p position.Position) position.Result {
	return position.Result{Position: p, Summary: p.Summary(), Between: [2]position.Position{p, p}}
}

func between(a, b position.Position) position.Result {
	return position.Result{Position: a, Mixed: true, Between: [2]position.Position{a, b}, Summary: "between"}
}

func cordonByUs(node *downstream.Node) {
	node.Unschedulable, node.Annotations = true, map[string]string{downstream.AnnotationOurs: "run"}
}
