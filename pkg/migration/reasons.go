package migration

// Reasons of faults that either side of Rancher gives, and that code decides by.
const (
	// ReasonClusterNotFound is of a name that no cluster of its kind has.
	ReasonClusterNotFound = "ClusterNotFound"
	// ReasonAwaitingOwner is of a run that waits for the commit of somebody else.
	ReasonAwaitingOwner = "AwaitingOwner"
	// ReasonNotRancher is of an API server that does not serve Rancher's clusters.
	ReasonNotRancher = "NotRancher"
	// ReasonNamesNotProven is of Nodes whose names after the switch are not known, or
	// would be others.
	ReasonNamesNotProven = "NamesNotProven"
)
