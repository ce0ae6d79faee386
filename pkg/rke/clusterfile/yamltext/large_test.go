package yamltext_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/awsmigrate/awsmigrate/pkg/rke/clusterfile/yamltext"
)

// large returns files close to the size limit.
func large() map[string]string {
	var nodes, keys, flow strings.Builder
	for i := range 75000 {
		fmt.Fprintf(&nodes, "- address: 10.%d.%d.%d\n  user: u\n  role: [worker]\n", i>>16, i>>8&255, i&255)
	}
	for i := range 190000 {
		fmt.Fprintf(&keys, "    k-%06d: v%d\n", i, i%10)
	}
	for i := range 100000 {
		fmt.Fprintf(&flow, "k%06d: v, ", i)
	}
	const rest = "cloud_provider: {\n  name: aws, # x\n  awsCloudProvider: {}\n}\nkubernetes_version: v1.26.9-rancher1-1\n"
	top := strings.ReplaceAll(keys.String(), "    k", "image_name_k")
	return map[string]string{
		"top":           rest + top[:len(top)*3/4],
		"nodes":         rest + "nodes:\n" + nodes.String(),
		"keys":          rest + "services:\n  kubelet:\n   extra_args:\n" + keys.String(),
		"keys in front": "unknown:\n" + keys.String() + rest,
		"braces":        rest + "services: {kube-controller: {extra_args: {" + flow.String() + "}}}\n",
	}
}

func BenchmarkLargeFile(b *testing.B) {
	for name, text := range large() {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				f, err := yamltext.Parse("x.yml", []byte(text), reader())
				if err != nil {
					b.Fatal(err)
				}
				e, err := f.Edit(append([]yamltext.Change{enable()}, switchTo(yamltext.Made{})...)...)
				if err != nil {
					b.Fatal(err)
				}
				e.Diff()
				e.Lines()
			}
		})
	}
}

// BenchmarkUndo undoes an edit in a file of 9,000 lines that others have changed.
func BenchmarkUndo(b *testing.B) {
	var text strings.Builder
	text.WriteString("nodes:\n")
	for i := range 2250 {
		fmt.Fprintf(&text, "  - address: 10.0.%d.%d\n    user: u\n    role: [worker]\n    port: 22\n", i>>8, i&255)
	}
	text.WriteString("cloud_provider:\n  name: aws\n  awsCloudProvider: {}\nkubernetes_version: v1.26.9-rancher1-1\n")
	e := edit(b, []byte(text.String()), switchTo(yamltext.Made{})...)
	later, r := parse(b, append([]byte("cluster_name: x\n"), e.After...)), e.Receipt()
	b.ReportAllocs()
	for b.Loop() {
		if _, err := later.Undo(r, e.Before); err != nil {
			b.Fatal(err)
		}
	}
}
