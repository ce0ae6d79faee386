package wellknown

// Content is what an object holds that awsmigrate keeps next to a cluster's journal.
type Content string

// Contents of objects. A name has no dot, so that ObjectName cannot give one name twice.
const (
	Plans   Content = "plans"  // that may be approved, and the edits to hand off
	Record  Content = "record" // of runs
	JobPlan Content = "job"    // the plan that a Job was given
	JobRole Content = "run"    // what one run may do outside of its namespace
)

const (
	// ContentLabel holds an object's Content.
	ContentLabel = "awsmigrate.io/content"
	// ClusterNote is the annotation with the name of the cluster that an object is about. A
	// label holds 63 characters, and a name may have more.
	ClusterNote = "awsmigrate.io/cluster"
)

// ObjectName returns the name of the object with some content of a cluster. The journal and the
// lock of each cluster are "awsmigrate-" and its name, whatever the name is: with a dot behind
// "awsmigrate" no other object has the name of one of those, and none of another content or
// another cluster has it either.
func ObjectName(content Content, cluster string) string {
	return "awsmigrate." + string(content) + "." + cluster
}

// Belongs reports whether the labels and annotations of an object say that it holds some
// content of a cluster.
func Belongs(labels, annotations map[string]string, content Content, cluster string) bool {
	return labels[ContentLabel] == string(content) && annotations[ClusterNote] == cluster
}
