package clusterfile

import (
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/awsmigrate/awsmigrate/pkg/rke/clusterfile/yamltext"
)

// Duplicate is a key that stands twice in its mapping.
type Duplicate struct {
	Line, First int
	Path        string // dotted
	// Merged: both are mappings, whose keys rke merges. Of others it takes the last.
	Merged bool
}

// Duplicates lists the keys that stand twice, at any depth. Those on the path of an
// edit are refused by it.
func (f *File) Duplicates() []Duplicate {
	var found []Duplicate
	duplicates(f.doc.Root(), nil, &found)
	slices.SortStableFunc(found, func(a, b Duplicate) int { return a.Line - b.Line })
	return found
}

func duplicates(n *yaml.Node, path []string, found *[]Duplicate) {
	switch n.Kind {
	case yaml.MappingNode:
		first := map[string]int{}
		for i := 0; i < len(n.Content); i += 2 {
			k, v := n.Content[i], n.Content[i+1]
			at := append(path, k.Value)
			if j, twice := first[k.Value]; twice && k.Kind == yaml.ScalarNode {
				merged := v.Kind == yaml.MappingNode && n.Content[j+1].Kind == yaml.MappingNode
				*found = append(*found, Duplicate{k.Line, n.Content[j].Line, yamltext.Dotted(at), merged})
			}
			first[k.Value] = i
			duplicates(v, at, found)
		}
	case yaml.SequenceNode:
		for _, item := range n.Content {
			duplicates(item, path, found)
		}
	default:
	}
}
