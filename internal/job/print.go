package job

import (
	"bytes"
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/yaml"
)

// heading is a comment for the user who reads the manifests before applying them.
const heading = `# A run of awsmigrate in the cluster that Rancher runs in; docs/job.md says more.
#   apply:  kubectl apply -f -
#   watch:  kubectl -n %[1]s logs -f job/%[2]s
#   pause:  kubectl -n %[1]s patch job %[2]s -p '{"spec":{"suspend":true}}'
# podFailurePolicy is honoured from Kubernetes 1.26 on. An older server drops it: there
# every failure is tried again, up to backoffLimit.
`

// YAML returns the objects as YAML documents, without fields that only a server sets. It returns
// an error if a value is invalid.
func YAML(o Options) ([]byte, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	out := bytes.NewBufferString(fmt.Sprintf(heading, o.Namespace, o.jobName()))
	for _, object := range Objects(o) {
		fields, err := runtime.DefaultUnstructuredConverter.ToUnstructured(object)
		if err != nil {
			return nil, fmt.Errorf("write %T: %w", object, err)
		}
		for _, path := range [][]string{{"status"}, {"metadata", "creationTimestamp"}, {"spec", "template", "metadata", "creationTimestamp"}} {
			unstructured.RemoveNestedField(fields, path...)
		}
		text, err := yaml.Marshal(fields)
		if err != nil {
			return nil, fmt.Errorf("write %T: %w", object, err)
		}
		fmt.Fprintf(out, "---\n%s", text)
	}
	return out.Bytes(), nil
}
