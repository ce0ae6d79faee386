package wellknown

// Content describes the data in an object that awsmigrate keeps next to a cluster's journal.
type Content string

// Contents of objects. None has a dot, so that ObjectName never returns one name twice.
const (
	Plans   Content = "plans"  // plans to approve, and edits to hand off
	Record  Content = "record" // the record of runs
	JobPlan Content = "job"    // the plan of a Job
	JobRole Content = "run"    // the rights of one run outside its namespace
)

const (
	// ContentLabel is the label with an object's Content.
	ContentLabel = "awsmigrate.io/content"
	// ClusterNote is the annotation with the name of an object's cluster. A label cannot hold
	// it: labels are limited to 63 characters.
	ClusterNote = "awsmigrate.io/cluster"
)

// ObjectName returns the name of a cluster's object with the given content. A cluster's
// journal and lock are named "awsmigrate-" and its name. The dot after "awsmigrate" keeps
// other objects apart from those, and from other contents and clusters.
func ObjectName(content Content, cluster string) string {
	return "awsmigrate." + string(content) + "." + cluster
}

// Belongs reports whether an object's labels and annotations mark it as the given content of
// the cluster.
func Belongs(labels, annotations map[string]string, content Content, cluster string) bool {
	return labels[ContentLabel] == string(content) && annotations[ClusterNote] == cluster
}
