package migration

// Reasons of faults of several backends that code decides by.
const (
	// ReasonClusterNotFound marks a name that no cluster of its kind has.
	ReasonClusterNotFound = "ClusterNotFound"
	// ReasonAwaitingOwner marks a run that waits for the owner's commit.
	ReasonAwaitingOwner = "AwaitingOwner"
	// ReasonNotRancher marks an API server that does not serve Rancher's clusters.
	ReasonNotRancher = "NotRancher"
	// ReasonNamesNotProven marks Nodes whose names after the switch are unknown or would
	// change.
	ReasonNamesNotProven = "NamesNotProven"
)
