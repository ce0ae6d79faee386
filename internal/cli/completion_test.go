package cli

import (
	"bytes"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/awsmigrate/awsmigrate/internal/cli/app"
	"github.com/awsmigrate/awsmigrate/internal/cli/checklist"
	"github.com/awsmigrate/awsmigrate/internal/cli/console"
	"github.com/awsmigrate/awsmigrate/internal/cli/target"
	"github.com/awsmigrate/awsmigrate/internal/cli/usage"
	"github.com/awsmigrate/awsmigrate/pkg/migration/procedure"
	"github.com/awsmigrate/awsmigrate/pkg/options"
)

// offer holds the completions of the last word.
type offer struct {
	words     []string // without their descriptions
	lines     []string
	directive cobra.ShellCompDirective
}

func offered(t *testing.T, args ...string) offer {
	t.Helper()
	var out, errs bytes.Buffer
	if code := Main(t.Context(), append([]string{cobra.ShellCompRequestCmd}, args...), console.Streams{Out: &out, Err: &errs}); code != 0 {
		t.Fatalf("%q: exit %d, %s", args, code, errs.String())
	}
	lines := strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
	last := lines[len(lines)-1]
	directive, err := strconv.Atoi(strings.TrimPrefix(last, ":"))
	if err != nil {
		t.Fatalf("%q ends with %q", args, last)
	}
	got := offer{lines: lines[:len(lines)-1], directive: cobra.ShellCompDirective(directive)}
	for _, line := range got.lines {
		word, _, _ := strings.Cut(line, "\t")
		got.words = append(got.words, word)
	}
	return got
}

// files reports whether the shell continues with file names.
func (o offer) files() bool { return o.directive&cobra.ShellCompDirectiveNoFileComp == 0 }

// everyFlag calls see for each flag of each command that takes a value.
func everyFlag(see func(cmd *cobra.Command, f *pflag.Flag)) {
	var walk func(*cobra.Command)
	walk = func(cmd *cobra.Command) {
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			if f.Value.Type() != "bool" {
				see(cmd, f)
			}
		})
		for _, child := range cmd.Commands() {
			walk(child)
		}
	}
	walk(newRoot(&app.App{}))
}

// A command offers for a flag exactly what the table says.
func TestEveryFlagCompletes(t *testing.T) {
	everyFlag(func(cmd *cobra.Command, f *pflag.Flag) {
		o, known := options.Find(f.Name, usage.ScopeOf(cmd))
		_, completes := cmd.GetFlagCompletionFunc(f.Name)
		if f.Name != "output" && (!known || completes == (o.Offer.Free != "")) {
			t.Errorf("%s --%s: in the table %t, completes %t, free text for the reason %q", cmd.CommandPath(), f.Name, known, completes, o.Offer.Free)
		}
	})
}

// Files are offered for flags of files, and nowhere else.
func TestFilesAreOfferedForFiles(t *testing.T) {
	t.Setenv("KUBECONFIG", filepath.Join(t.TempDir(), "none"))
	everyFlag(func(cmd *cobra.Command, f *pflag.Flag) {
		words := append(strings.Fields(cmd.CommandPath())[1:], "--"+f.Name, "")
		o, _ := options.Find(f.Name, usage.ScopeOf(cmd))
		if got := offered(t, words...); got.files() != (o.Offer.Source == options.AnyFile || len(o.Offer.Ending) > 0) {
			t.Errorf("%q: files are offered: %t", words, got.files())
		}
	})
	for command, want := range map[string]bool{"rke2": false, "rke2 plan": false, "verify": false, "explain": false, "explain install-ccm": false, "report": true, "version": false, "": false} {
		if got := offered(t, append(strings.Fields(command), "")...); got.files() != want {
			t.Errorf("%q: files are offered: %t", command, got.files())
		}
	}
	if got := offered(t, "rke2", "--plan", ""); got.directive != cobra.ShellCompDirectiveFilterFileExt || !slices.Equal(got.words, []string{"json"}) {
		t.Errorf("%+v", got)
	}
}

// The script for fish offers files of the endings that a flag takes, under either name of
// the program.
func TestFishScriptKnowsEndings(t *testing.T) {
	for argv0, want := range map[string]string{
		usage.Program: "complete -k -c awsmigrate -n '__awsmigrate_wants_files' -f -a '(__awsmigrate_files)'\n",
		usage.Plugin:  "complete -k -c kubectl-awsmigrate -n '__kubectl_awsmigrate_wants_files' -f -a '(__kubectl_awsmigrate_files)'\n",
	} {
		var out, errs bytes.Buffer
		if code := MainAs(t.Context(), argv0, []string{"completion", "fish"}, console.Streams{Out: &out, Err: &errs}); code != 0 {
			t.Fatalf("%s: exit %d, %s", argv0, code, errs.String())
		}
		script := out.String()
		of := "__" + strings.ReplaceAll(argv0, "-", "_")
		if !strings.HasSuffix(script, want) || !strings.Contains(script, "function "+of+"_perform_completion_once\n") {
			t.Errorf("%s: the script ends with %q", argv0, script[max(0, len(script)-120):])
		}
	}
}

// What help says of a flag with fixed values is what is offered.
func TestHelpSaysWhatIsOffered(t *testing.T) {
	fixed, found := regexp.MustCompile(`^([\w-]+(?:\|[\w-]+)+): \S`), 0
	everyFlag(func(cmd *cobra.Command, f *pflag.Flag) {
		words := append(strings.Fields(cmd.CommandPath())[1:], "--"+f.Name, "")
		if f.NoOptDefVal != "" { // the next word is none of its own
			words = append(words[:len(words)-2], "--"+f.Name+"=")
		}
		match := fixed.FindStringSubmatch(f.Usage)
		if match == nil {
			return
		}
		found++
		if got := offered(t, words...).words; !slices.Equal(got, strings.Split(match[1], "|")) {
			t.Errorf("%q offers %q, and help says %s", words, got, match[1])
		}
	})
	if found < 50 {
		t.Errorf("%d flags with fixed values", found)
	}
}

// Every completion is accepted as a value, and another word is not.
func TestOfferedValuesAreAccepted(t *testing.T) {
	for _, flag := range []string{"aws", "cloud-routes", "edits", "end-state", "fail-on", "install-method", "owner-informed"} {
		for _, value := range append(offered(t, "rke2", "--"+flag, "").words, "nonsense") {
			run, flags := &target.RKE2{}, pflag.NewFlagSet("rke2", pflag.ContinueOnError)
			run.Register(flags)
			if err := flags.Parse([]string{"--cluster", "demo", "--edits", "apply", "--" + flag, value}); err != nil {
				t.Fatal(err)
			}
			conflict := value == "additional-manifest" || value == "handoff" // by other flags' values, not as a word
			if err := run.Check(); (err == nil) == (value == "nonsense") && !conflict {
				t.Errorf("--%s %s: %v", flag, value, err)
			}
		}
	}
	for _, tt := range []struct{ flag, value string }{{"--progress", "board"}, {"--on-failure", "undo"}, {"--step", "install-ccm"}, {"--until", "upgrade"}} {
		if got := offered(t, "rke2", tt.flag, ""); !slices.Contains(got.words, tt.value) {
			t.Errorf("%s offers %q", tt.flag, got.words)
		}
		for _, value := range append(offered(t, "rke2", tt.flag, "").words, "nonsense") {
			engine, flags := &engineFlags{}, pflag.NewFlagSet("rke2", pflag.ContinueOnError)
			engine.register(flags)
			if err := flags.Parse([]string{tt.flag, value}); err != nil {
				t.Fatal(err)
			}
			if err := errors.Join(target.CheckFlags(flags, options.Run), engine.check()); (err == nil) == (value == "nonsense") {
				t.Errorf("%s %s: %v", tt.flag, value, err)
			}
		}
	}
}

func TestStepsAreThoseOfTheCommand(t *testing.T) {
	var forward, back []string
	for _, info := range procedure.StepInfos() {
		forward = append(forward, string(info.ID))
	}
	for _, info := range procedure.UndoOrder() {
		back = append(back, string(info.ID))
	}
	for command, want := range map[string][]string{"rke2": forward, "rke": forward, "rke2 undo": back, "rke undo": back} {
		for _, flag := range []string{"--step", "--until"} {
			if got := offered(t, append(strings.Fields(command), flag, "")...); !slices.Equal(got.words, want) {
				t.Errorf("%s %s: %q", command, flag, got.words)
			}
		}
	}
}

func TestChecksAndListsComplete(t *testing.T) {
	for _, command := range []string{"rke2", "rke2 plan", "rke undo", "verify"} {
		skip := offered(t, append(strings.Fields(command), "--skip", "")...)
		if !slices.Contains(skip.words, "AWSM-303=") || skip.directive&cobra.ShellCompDirectiveNoSpace == 0 {
			t.Errorf("%s --skip: %q", command, skip.words)
		}
		only := offered(t, append(strings.Fields(command), "--only", "")...).words
		if !slices.Contains(only, "AWSM-303") || !slices.Contains(only, checklist.Categories()[0]) {
			t.Errorf("%s --only: %q", command, only)
		}
	}
	second := offered(t, "verify", "--only", "AWSM-303,").words
	if !slices.Contains(second, "AWSM-303,AWSM-304") || slices.Contains(second, "AWSM-303,AWSM-303") {
		t.Errorf("behind a comma: %q", second)
	}
	got := offered(t, "explain", "")
	for _, want := range []string{"install-ccm\tinstall the cloud controller manager", "P3\t", "AWSM-303\t", "undo-preflight\t"} {
		if !slices.ContainsFunc(got.lines, func(line string) bool { return strings.HasPrefix(line, want) }) {
			t.Errorf("explain offers no %q", want)
		}
	}
}

// kubeconfigFor returns a file with one context for each address.
func kubeconfigFor(t *testing.T, dir, name string, addresses map[string]string) string {
	t.Helper()
	var clusters, contexts string
	for context, address := range addresses {
		clusters += fmt.Sprintf("- {name: %s, cluster: {server: %q}}\n", context, address)
		contexts += fmt.Sprintf("- {name: %s, context: {cluster: %s, user: u}}\n", context, context)
	}
	path := filepath.Join(dir, name)
	text := "apiVersion: v1\nkind: Config\ncurrent-context: a\nusers: [{name: u, user: {}}]\nclusters:\n" + clusters + "contexts:\n" + contexts
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// Contexts are those of the file that the command will use; a missing file is no error.
func TestContextsComplete(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("KUBECONFIG", kubeconfigFor(t, dir, "usual", map[string]string{"a": "https://user:hunter2@rancher.example:6443", "b": "https://b.example"}))
	named := kubeconfigFor(t, dir, "named", map[string]string{"c": "https://c.example"})
	kubeconfigFor(t, dir, "kube_config_cluster.yml", map[string]string{"d": "https://d.example"})
	config := filepath.Join(dir, "cluster.yml")
	for _, tt := range []struct {
		args string
		want []string
	}{
		{"rke2 plan --context", []string{"a\trancher.example:6443", "b\tb.example"}},
		{"list --kubeconfig " + named + " --context", []string{"c\tc.example"}},
		{"rke --config " + config + " --context", []string{"d\td.example"}},
		{"rke --config " + config + " --cluster demo --context", []string{"a\trancher.example:6443", "b\tb.example"}},
		{"verify --kubeconfig " + filepath.Join(dir, "none") + " --context", nil},
	} {
		if got := offered(t, append(strings.Fields(tt.args), "")...); !slices.Equal(got.lines, tt.want) {
			t.Errorf("%s: %q", tt.args, got.lines)
		}
	}
}

// rancherOf answers with two clusters that Rancher provisions, in two namespaces, and
// one that it runs rke for.
func rancherOf(t *testing.T) *httptest.Server {
	newer := func(namespace, name, id string) string {
		return `{"apiVersion":"provisioning.cattle.io/v1","kind":"Cluster","metadata":{"namespace":"` + namespace + `","name":"` + name + `"},"spec":{"kubernetesVersion":"v1.26.13+rke2r1","rkeConfig":{}},"status":{"clusterName":"` + id + `"}}`
	}
	all := newer("fleet-default", "prod", "c-m-1") + "," + newer("fleet-default", "demo", "c-m-2")
	other := newer("shop", "web", "c-m-3")
	list := func(kind, items string) string {
		return `{"apiVersion":"` + kind + `","kind":"ClusterList","items":[` + items + `]}`
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		switch r.URL.Path {
		case "/apis/provisioning.cattle.io/v1/clusters":
			fmt.Fprint(w, list("provisioning.cattle.io/v1", all+","+other))
		case "/apis/provisioning.cattle.io/v1/namespaces/fleet-default/clusters":
			fmt.Fprint(w, list("provisioning.cattle.io/v1", all))
		case "/apis/provisioning.cattle.io/v1/namespaces/shop/clusters":
			fmt.Fprint(w, list("provisioning.cattle.io/v1", other))
		case "/apis/management.cattle.io/v3/clusters":
			fmt.Fprint(w, list("management.cattle.io/v3", `{"apiVersion":"management.cattle.io/v3","kind":"Cluster","metadata":{"name":"c-7kq2x"},"spec":{"displayName":"old","fleetWorkspaceName":"fleet-default","rancherKubernetesEngineConfig":{"kubernetesVersion":"v1.26.15-rancher1-1"}},"status":{"driver":"rancherKubernetesEngine"}}`))
		default:
			w.WriteHeader(http.StatusNotFound)
		}
	}))
	t.Cleanup(server.Close)
	return server
}

func TestClustersComplete(t *testing.T) {
	t.Setenv("KUBECONFIG", kubeconfigFor(t, t.TempDir(), "kubeconfig", map[string]string{"a": rancherOf(t).URL}))
	for command, want := range map[string][]string{
		"rke2 --cluster ":                   {"demo", "prod"},
		"rke2 status -n shop --cluster ":    {"web"},
		"rke undo --cluster ":               {"c-7kq2x"},
		"verify --cluster ":                 {"c-7kq2x", "demo", "prod"},
		"record -n shop --cluster ":         {"web"},
		"job --distribution rke --cluster ": {"c-7kq2x"},
		"rke2 --namespace ":                 {"fleet-default", "shop"},
		"list -n ":                          {"fleet-default", "shop"},
		"controller --clusters ":            {"demo", "prod", "web"},
		"controller --clusters demo,":       {"demo,prod", "demo,web"},
		"controller rolling --rke ":         {"c-7kq2x"},
		"controller --namespaces ":          {"fleet-default", "shop"},
		"controller --namespaces shop,fl":   {"shop,fleet-default"},
	} {
		got := offered(t, strings.Split(command, " ")...)
		slices.Sort(got.words)
		if !slices.Equal(got.words, want) {
			t.Errorf("%s: %q, want %q", command, got.words, want)
		}
	}
	if got := offered(t, "rke", "--cluster", ""); !slices.Equal(got.lines, []string{"c-7kq2x\told, RKE v1.26.15-rancher1-1"}) {
		t.Errorf("%q", got.lines)
	}
}

// A Rancher that does not answer, or a server that is none, delays a shell by at most two seconds
// and offers nothing.
func TestClustersOfNobody(t *testing.T) {
	hangs := make(chan struct{})
	silent := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-hangs }))
	defer silent.Close()
	defer close(hangs)
	none := httptest.NewServer(http.NotFoundHandler())
	defer none.Close()
	for name, address := range map[string]string{"silent": silent.URL, "none": none.URL, "no address": "http://[::1"} {
		kubeconfig := kubeconfigFor(t, t.TempDir(), "kubeconfig", map[string]string{"a": address})
		began := time.Now()
		got := offered(t, "rke2", "--kubeconfig", kubeconfig, "--cluster", "")
		if len(got.words) > 0 || got.files() || time.Since(began) > 2*usage.CompletionTimeout {
			t.Errorf("%s: %q after %s", name, got.words, time.Since(began))
		}
	}
}

func TestProfilesComplete(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"config": "[default]\nregion = x\n[profile prod]\n[sso-session s]\n", "credentials": "[prod]\n[ci]\nkey=[no]\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("AWS_CONFIG_FILE", filepath.Join(dir, "config"))
	t.Setenv("AWS_SHARED_CREDENTIALS_FILE", filepath.Join(dir, "credentials"))
	if got := offered(t, "verify", "--profile", "").words; !slices.Equal(got, []string{"ci", "default", "prod"}) {
		t.Errorf("%q", got)
	}
}
