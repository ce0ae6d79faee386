package main

import (
	"go/ast"
	"go/token"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// flagFolders returns the folders that declare the flags of a component, by module.
func flagFolders(program string) map[string][]string {
	own := map[string][]string{
		"kube-apiserver":          {"pkg/controlplane", "pkg/kubeapiserver", "pkg/serviceaccount"},
		"kube-controller-manager": {"pkg/controller"},
		"kube-scheduler":          {"pkg/scheduler"},
		"kube-proxy":              {"pkg/proxy"},
		"kubelet":                 {"pkg/kubelet", "pkg/credentialprovider"},
	}
	return map[string][]string{
		"k8s.io/kubernetes":         append(own[program], "cmd/"+program+"/app"),
		"k8s.io/apiserver":          {"pkg/server/options", "pkg/util"},
		"k8s.io/component-base":     {"."},
		"k8s.io/controller-manager": {"."},
		"k8s.io/cloud-provider":     {"options", "app"},
	}
}

// deriveFlags fills in the flags of a version that was not built. A flag that both built
// neighbors have with one type is its flag, too. Where they differ, the source decides: if the
// component's own folders declare the flag in the neighbor that has it, they must in this version;
// otherwise the quoted name is enough. A
// name that the neighbor's source does not show counts. Without one of the neighbors, a flag of neither counts if
// the component's own folders declare it.
func deriveFlags(s *source, before, after *source, root string) error {
	s.flags = map[string]string{}
	for _, program := range programs() {
		here, err := declaredFlags(root, s.version, program)
		if err != nil {
			return err
		}
		known := map[string]bool{}
		for _, neighbor := range []*source{before, after} {
			if neighbor == nil {
				continue
			}
			there, err := declaredFlags(root, neighbor.version, program)
			if err != nil {
				return err
			}
			for flag, kind := range neighbor.flags {
				name, isOwn := strings.CutPrefix(flag, program+" ")
				if !isOwn {
					continue
				}
				known[name] = true
				both := before != nil && after != nil && before.flags[flag] == after.flags[flag]
				built := there.own[name] == "" && !there.texts[name] // of parts: the source does not show it
				if both || built || here.own[name] != "" || there.own[name] == "" && here.texts[name] {
					s.flags[flag] = kind
				}
			}
		}
		s.addUnknown(program, here.own, known, before == nil || after == nil)
	}
	return nil
}

// addUnknown adds the flags of a component that no built neighbor has.
func (s *source) addUnknown(program string, own map[string]string, known map[string]bool, oneSided bool) {
	for name, kind := range own {
		if oneSided && !known[name] {
			s.flags[program+" "+name] = kind
		}
	}
	if s.minor <= lastKlogMinor {
		for name, kind := range klogFlags() {
			s.flags[program+" "+name] = kind
		}
	}
}

// lastKlogMinor is the last minor whose components have the flags of klog
// (k8s.io/component-base:logs/logs.go@v0.25.16, which v0.26.13 replaces).
const lastKlogMinor = 25

// klogFlags returns the flags that klog declares (k8s.io/klog/v2:klog.go@v2.70.1).
func klogFlags() map[string]string {
	return map[string]string{"add-dir-header": "bool", "alsologtostderr": "bool", "log-backtrace-at": "traceLocation", "log-dir": "string",
		"log-file": "string", "log-file-max-size": "uint", "logtostderr": "bool", "one-output": "bool", "skip-headers": "bool",
		"skip-log-headers": "bool", "stderrthreshold": "severity"}
}

// declarations holds what the source of a component says about its flags.
type declarations struct {
	texts map[string]bool   // every text
	own   map[string]string // the flags that its own folders declare, with their types
}

func declaredFlags(root, version, program string) (declarations, error) {
	d := declarations{map[string]bool{}, map[string]string{}}
	b, err := sourceOf(version, root)
	if err != nil {
		return d, err
	}
	for module, folders := range flagFolders(program) {
		m, err := b.download(module, b.stagedAt(module))
		if err != nil {
			return d, err
		}
		for _, folder := range folders {
			files, err := parseFolder(filepath.Join(m.Dir, folder))
			if err != nil {
				return d, err
			}
			for _, f := range files {
				readTexts(f, d.texts)
				if module == "k8s.io/kubernetes" || module == "k8s.io/apiserver" && servesRequests(program) {
					readFlags(f, d.own)
				}
			}
		}
	}
	return d, nil
}

// servesRequests reports whether a component takes its serving flags from k8s.io/apiserver.
func servesRequests(program string) bool { return program != "kubelet" && program != "kube-proxy" }

// readTexts collects the texts of a file, which name flags that a constant declares, too.
func readTexts(f *ast.File, texts map[string]bool) {
	ast.Inspect(f, func(n ast.Node) bool {
		if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING {
			if text, err := strconv.Unquote(lit.Value); err == nil {
				texts[strings.ReplaceAll(text, "_", "-")] = true
			}
		}
		return true
	})
}

// readFlags collects the calls that declare a flag: fs.BoolVar(&x, "name", …) and
// fs.Bool("name", …) of pflag, and
// register(global, local, "name") of the kubelet, which takes over a flag of a library.
func readFlags(f *ast.File, flags map[string]string) {
	ast.Inspect(f, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok || len(call.Args) < 3 {
			return true
		}
		called, kind, at := nameOf(call.Fun), "value", 1
		if strings.HasPrefix(called, "register") {
			at = 2
		} else if slices.Contains([]string{"Bool", "Int", "String", "Duration"}, called) {
			kind, at = strings.ToLower(called), 0
		} else if method, isVar := strings.CutSuffix(strings.TrimSuffix(called, "P"), "Var"); !isVar {
			return true
		} else if method != "" {
			kind = strings.ToLower(method[:1]) + method[1:]
		}
		lit, isText := call.Args[at].(*ast.BasicLit)
		if !isText || lit.Kind != token.STRING {
			return true
		}
		if name, err := strconv.Unquote(lit.Value); err == nil && name != "" {
			flags[strings.ReplaceAll(name, "_", "-")] = strings.Replace(kind, "iP", "ip", 1)
		}
		return true
	})
}
