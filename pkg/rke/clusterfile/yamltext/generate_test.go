package yamltext_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// writer writes a random text in common styles. All of its files can be edited; a refusal is a
// defect.
type writer struct {
	*rand.Rand
	b     strings.Builder
	width int // of an indentation
}

func (w *writer) one(of ...string) string { return of[w.IntN(len(of))] }

func (w *writer) chance(percent int) bool { return w.IntN(100) < percent }

func (w *writer) in(depth int) string { return strings.Repeat(" ", depth*w.width) }

func (w *writer) noise(depth int) {
	for w.chance(20) {
		w.b.WriteString(w.one("\n", "# at the margin\n", w.in(depth)+"# aligned: x\n", w.in(depth)+"#\n", w.in(depth+1)+"# deeper\n", "  \n"))
	}
}

func (w *writer) comment() string {
	if !w.chance(25) {
		return ""
	}
	return w.one(" # why", "   # é 漢字", " #", " # {a: b}", " # \"quoted", "\t# tab")
}

func (w *writer) key(k string) string {
	switch w.IntN(12) {
	case 0:
		return `"` + k + `"`
	case 1:
		return "'" + k + "'"
	case 2:
		return k + " "
	}
	return k
}

func (w *writer) scalar(s string) string {
	switch w.IntN(4) {
	case 0:
		return `"` + s + `"`
	case 1:
		return "'" + s + "'"
	}
	return s
}

// node is a mapping to write: its keys in order, each with a text or a node.
type node struct {
	keys   []string
	values []any // string or *node
}

func (n *node) add(k string, v any) *node {
	n.keys, n.values = append(n.keys, k), append(n.values, v)
	return n
}

func (w *writer) shuffled(n *node) *node {
	w.Shuffle(len(n.keys), func(i, j int) {
		n.keys[i], n.keys[j] = n.keys[j], n.keys[i]
		n.values[i], n.values[j] = n.values[j], n.values[i]
	})
	return n
}

func (w *writer) mapping(n *node, depth int) {
	for i, k := range n.keys {
		w.noise(depth)
		head := w.in(depth) + w.key(k) + ":"
		switch v := n.values[i].(type) {
		case string:
			if strings.HasPrefix(v, "|") || strings.HasPrefix(v, ">") || strings.HasPrefix(v, "\n") {
				w.b.WriteString(head + " " + strings.ReplaceAll(v, "\n", "\n"+w.in(depth+1)) + "\n")
				continue
			}
			w.b.WriteString(head + w.one(" ", " ", "  ") + v + w.comment() + "\n")
		case *node:
			switch {
			case len(v.keys) == 0:
				w.b.WriteString(head + w.one("", " {}", " ~", " null", " { }", "  {}") + w.comment() + "\n")
			case w.chance(20):
				w.b.WriteString(head + " " + w.flow(v) + w.comment() + "\n")
			default:
				w.b.WriteString(head + w.comment() + "\n")
				w.mapping(v, depth+1)
			}
		}
	}
}

func (w *writer) flow(n *node) string {
	var parts []string
	for i, k := range n.keys {
		switch v := n.values[i].(type) {
		case string:
			if strings.HasPrefix(v, "|") || strings.HasPrefix(v, ">") || strings.HasPrefix(v, "\n") {
				v = `"in, a {line}"`
			}
			parts = append(parts, strings.TrimSuffix(w.key(k), " ")+": "+v)
		case *node:
			if len(v.keys) == 0 {
				parts = append(parts, k+": "+w.one("{}", "null", "{ }"))
			} else {
				parts = append(parts, k+": "+w.flow(v))
			}
		}
	}
	pad := w.one("", " ")
	return "{" + pad + strings.Join(parts, w.one(", ", ",  ")) + pad + "}"
}

func (w *writer) service(depthOfNothing bool) *node {
	n := &node{}
	if depthOfNothing && w.chance(30) {
		return n
	}
	if w.chance(60) {
		args := &node{}
		for _, k := range []string{"v", "feature-gates", "profiling"} {
			if w.chance(50) {
				args.add(k, w.scalar(w.one("2", "A=true", "false", "0x10")))
			}
		}
		if w.chance(20) {
			args.add("audit", "|-\n# text\ntwo")
		}
		n.add("extra_args", w.shuffled(args))
	}
	if w.chance(30) {
		n.add("image", w.scalar("x"))
	}
	return w.shuffled(n)
}

func (w *writer) provider() *node {
	n := &node{}
	if w.chance(80) {
		n.add("name", w.scalar(w.one("aws", "aws", "external")))
	}
	if w.chance(30) {
		n.add("useInstanceMetadataHostname", w.one("false", "true", "off", "Yes"))
	}
	if w.chance(50) {
		global := &node{}
		for _, k := range []string{"vpc", "zone", "role-arn"} {
			if w.chance(50) {
				global.add(k, w.scalar("v-"+k))
			}
		}
		if w.chance(30) {
			global.add("subnet-id", w.one("|\na\n# b", ">-\na\n\nb", "\"a\\\n  # b\""))
		}
		aws := &node{}
		if w.chance(80) {
			aws.add("global", global)
		}
		n.add("awsCloudProvider", aws)
	}
	return w.shuffled(n)
}

// generate returns a random file.
func generate(seed uint64) []byte {
	w := &writer{Rand: rand.New(rand.NewPCG(seed, 1))}
	w.width = 2 + w.IntN(3)
	top := &node{}
	if w.chance(80) {
		services := &node{}
		for _, s := range []string{"etcd", "kube-controller", "kubelet"} {
			if w.chance(60) {
				services.add(s, w.service(true))
			}
		}
		top.add("services", w.shuffled(services))
	}
	if w.chance(80) {
		top.add("cloud_provider", w.provider())
	}
	top.add("cluster_name", w.scalar("c"))
	if w.chance(50) {
		top.add("kubernetes_version", w.scalar("v1.26.9-rancher1-1"))
	}
	if w.chance(40) {
		top.add("addons", w.one("|", "|-", "|+", ">-")+w.addons())
	}
	w.shuffled(top)
	if w.chance(20) {
		w.b.WriteString(w.one("---\n", "# head\n---\n", "\n"))
	}
	w.list()
	w.mapping(top, 0)
	w.noise(0)
	text := w.b.String()
	if w.chance(15) {
		text = strings.TrimRight(text, "\n")
	} else if w.chance(5) && !strings.HasSuffix(text, "\n...\n") {
		text += "...\n"
	}
	if w.chance(25) {
		text = strings.ReplaceAll(text, "\n", "\r\n")
	}
	if w.chance(10) {
		text = "\ufeff" + text
	}
	return []byte(text)
}

func (w *writer) addons() string {
	var b strings.Builder
	b.WriteString("\n# first")
	for range 1 + w.IntN(6) {
		b.WriteString("\n" + w.one("---", "kind: ConfigMap", "# services:", "  services:", "{{ x }}", "cloud_provider: {name: aws}", "a: 'b"))
	}
	return b.String()
}

// list writes nodes, indented below their key or not.
func (w *writer) list() {
	if !w.chance(60) {
		return
	}
	w.b.WriteString("nodes:\n")
	indent := w.one("", "  ", "    ")
	for i := range 1 + w.IntN(3) {
		fmt.Fprintf(&w.b, "%s- address: 10.0.0.%d\n%s  role:\n%s  - etcd\n", indent, i, indent, indent)
	}
}
