package main

import (
	"testing"
	"testing/fstest"
)

func TestLintFile(t *testing.T) {
	for name, tt := range map[string]struct {
		code string
		want int
	}{
		"check":                  {`var c = verify.Meta{ID: "AWSM-201", Fix: "look at AWSM-301 first"}`, 0},
		"ID in map":              {`var m = map[string]bool{"AWSM-201": true, "AWSM-202": true}`, 2},
		"ID in slice":            {`func f() []string { return append(g(), "AWSM-201") }`, 1},
		"ID in case":             {`func f(id string) bool { switch id { case "AWSM-201": return true }; return false }`, 1},
		"ID compared":            {"func f(id string) bool { return id == `AWSM-201` }", 1},
		"IDs in string":          {`var s = strings.Fields("AWSM-201 AWSM-202")`, 1},
		"ID by prefix":           {`func f(id string) bool { return strings.HasPrefix(id, "AWSM-2") }`, 1},
		"ID formatted":           {`func f(n int) string { return fmt.Sprintf("AWSM-%d", n) }`, 1},
		"ID of other struct":     {`var r = verify.Recorded{ID: "AWSM-201"}`, 1},
		"ID in other field":      {`var c = verify.Meta{ID: "AWSM-201", Category: "AWSM-202"}`, 1},
		"ID in advice":           {`const fix = "keep the node (AWSM-401 to AWSM-405 look at it)"`, 0},
		"ID in comment":          {`// f leaves it to AWSM-201.`, 0},
		"command with value":     {`func f(n string) string { return "kubectl uncordon " + n }`, 1},
		"command behind text":    {`func f(n string) string { return "if it is back: " + "kubectl uncordon " + n }`, 1},
		"command formatted":      {`func f(n string) string { return fmt.Sprintf("set it again: kubectl label node %s a=b", n) }`, 1},
		"command of constants":   {`const c = "kubectl -n " + wellknown.KubeSystem + " get pods"`, 0},
		"command as a whole":     {`const c = "helm -n kube-system uninstall x"`, 0},
		"command by its builder": {`func f(n string) string { return fault.Command("kubectl", "uncordon", n) }`, 0},
		"sentence with value":    {`func f(n string) string { return "look with kubectl at " + n }`, 0},
	} {
		if found, err := lintFile("pkg/x/x.go", []byte("package x\n\n"+tt.code+"\n")); err != nil || len(found) != tt.want {
			t.Errorf("%s: found %q, %v, want %d", name, found, err, tt.want)
		}
	}
}

func TestLint(t *testing.T) {
	knows := &fstest.MapFile{Data: []byte("package x\n\nvar ids = []string{\"AWSM-999\"}\n")}
	for name, tt := range map[string]struct {
		files fstest.MapFS
		want  int
		fails bool
	}{
		"product":    {fstest.MapFS{"cmd/a/a.go": knows, "internal/b/b.go": knows, "pkg/c/c.go": knows}, 3, false},
		"tests":      {fstest.MapFS{"cmd/a/a.go": knows, "internal/testing/b/b.go": knows, "pkg/c/c_test.go": knows}, 1, false},
		"no sources": {fstest.MapFS{"cmd/a.md": knows, "internal/a.md": knows, "pkg/a.md": knows}, 0, true},
	} {
		if found, err := lint(tt.files); len(found) != tt.want || (err != nil) != tt.fails {
			t.Errorf("%s: found %q, %v", name, found, err)
		}
	}
}
