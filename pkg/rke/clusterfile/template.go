package clusterfile

import (
	"regexp"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/awsmigrate/awsmigrate/pkg/rke/clusterfile/yamltext"
)

// wholePlaceholder matches values that consist of one placeholder.
var wholePlaceholder = regexp.MustCompile(`^(%[A-Za-z_][\w.-]*%|<[^<>]*>|\$[A-Za-z_]\w*|@@?[A-Za-z_]\w*@@?|__[A-Za-z]\w*__)$`)

// placeholder reports whether a value has not been filled in. Text of several lines may contain
// such marks for other programs: addons, scripts.
func placeholder(n *yaml.Node) bool {
	if n.Kind != yaml.ScalarNode || n.Style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0 {
		return false
	}
	for _, mark := range []string{"{{", "{%", "${", "<%"} {
		if strings.Contains(n.Value, mark) {
			return true
		}
	}
	return wholePlaceholder.MatchString(strings.TrimSpace(n.Value))
}

// unrendered refuses a text in which a key that a migration depends on is not filled in.
func unrendered(d *yamltext.Document) *refusal {
	var r *refusal
	eachScalar(d.Root(), nil, func(path []string, n *yaml.Node) {
		if r == nil && decides(path) && placeholder(n) {
			r = &refusal{
				reason: ReasonTemplate, line: n.Line, seen: yamltext.Dotted(path) + " looks like a placeholder: " + yamltext.Excerpt(n.Value),
				wanted: "the rendered cluster.yml that rke is given", fix: "render the template, and name the result with --config",
			}
		}
	})
	return r
}

// orTemplate returns r, or a refusal that names the placeholder in a value that rke cannot
// read.
func orTemplate(d *yamltext.Document, r *refusal) *refusal {
	eachScalar(d.Root(), nil, func(path []string, n *yaml.Node) {
		if n.Line == r.line && placeholder(n) {
			r = &refusal{reason: ReasonTemplate, line: n.Line, seen: yamltext.Dotted(path) + " looks like a placeholder: " + yamltext.Excerpt(n.Value),
				wanted: "the rendered cluster.yml that rke is given", fix: "render the template, and name the result with --config", err: r.err}
		}
	})
	return r
}

// decides reports whether a plan depends on the key at path.
func decides(path []string) bool {
	last := path[len(path)-1]
	switch {
	case len(path) == 1:
		return last == "kubernetes_version"
	case len(path) == 2 && path[0] == "cloud_provider":
		return last == "name" || last == "useInstanceMetadataHostname"
	case len(path) >= 2 && strings.HasPrefix(path[0], "nodes["):
		return last == "address" || last == "internal_address" || last == "hostname_override" || strings.HasPrefix(last, "role[")
	}
	return false
}

// indexed returns the path of an item of the list at path.
func indexed(path []string, i int) []string {
	last := len(path) - 1
	return append(path[:last:last], path[last]+"["+strconv.Itoa(i)+"]")
}

// eachScalar calls do for every scalar below a mapping with its path. It does not follow
// aliases.
func eachScalar(n *yaml.Node, path []string, do func(path []string, n *yaml.Node)) {
	switch n.Kind {
	case yaml.MappingNode:
		for i := 0; i < len(n.Content); i += 2 {
			eachScalar(n.Content[i+1], append(path, n.Content[i].Value), do)
		}
	case yaml.SequenceNode:
		for i, item := range n.Content {
			eachScalar(item, indexed(path, i), do)
		}
	case yaml.ScalarNode:
		do(path, n)
	default:
	}
}
