package cli

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/awsmigrate/awsmigrate/internal/cli/console"
	"github.com/awsmigrate/awsmigrate/internal/cli/view"
)

// A mistyped word gets a suggestion before anything is read: with an invalid kubeconfig, any read
// would fail otherwise.
func TestDidYouMean(t *testing.T) {
	t.Setenv("KUBECONFIG", filepath.Join(t.TempDir(), "none"))
	for args, says := range map[string]string{
		"rke3":                                            "did you mean rke or rke2?",
		"verfy":                                           "did you mean verify?",
		"rke2 paln --cluster demo":                        "did you mean plan?",
		"nonsense":                                        "awsmigrate --help",
		"logs --cluster demo -f":                          "kubectl -n fleet-default logs -f job/awsmigrate-NAME",
		"rke2 logs --cluster demo":                        "kubectl -n cattle-awsmigrate-system logs",
		"rke2 plan -cluster demo":                         "did you mean --cluster?",
		"list prod":                                       "awsmigrate list --help",
		"verify demo --preflight extra":                   "awsmigrate verify --help",
		"undo --cluster demo":                             "did you mean awsmigrate rke2 undo --cluster demo?",
		"undo --config cluster.yml":                       "did you mean awsmigrate rke undo --config cluster.yml?",
		"apply --cluster demo --yes":                      "did you mean awsmigrate rke2 --cluster demo --yes?",
		"preflight --cluster demo":                        "did you mean awsmigrate verify --cluster demo?",
		"verfy -f --cluster demo":                         "did you mean verify?",
		"rke2 paln --nonsense":                            "did you mean plan?",
		"rke2 --clsuter demo":                             "did you mean --cluster?",
		"rke2 undo --kubernetes-versio v1":                "awsmigrate rke2 undo --help",
		"rke2 --cluster demo --until instal-ccm":          "did you mean install-ccm?",
		"rke2 undo --cluster demo --step undo-instal-ccm": "did you mean undo-install-ccm?",
		"rke2 undo --cluster demo --until install-ccm":    `"install-ccm" is no step`,
		"rke2 --cluster demo --only AWSM-999":             "docs/checks.md",
		"verify --cluster demo --skip AWSM-303":           "fix      awsmigrate explain AWSM-303\n",
		"rke2 plan --cluster demo --only AWSM-30x":        "names no check",
		"verify --cluster demo --only srevices":           "did you mean services?",
		"verify --cluster demo --skip AWS-303=because":    "did you mean AWSM-303?",
		"explain instal-ccm":                              "did you mean install-ccm?",
		"explain AWS-303":                                 "did you mean AWSM-303?",
		"rke2 plan --cluster demo -o jsn":                 "did you mean json?",
		"version -o yml":                                  "did you mean yaml?",
		"rke2":                                            "`awsmigrate list` shows them",
		"paln --cluster prod":                             "did you mean plan?",
		"--cluster prod paln":                             "did you mean plan?",
		"rke2 plan prod":                                  "did you mean awsmigrate rke2 plan --cluster prod?",
		"rke2 prod --yes":                                 "did you mean awsmigrate rke2 --cluster prod --yes?",
		"verify prod":                                     "did you mean awsmigrate verify --cluster prod?",
		"rke plan cluster.yml":                            "did you mean awsmigrate rke plan --config cluster.yml?",
		"rke2 plan cluster.yml":                           "did you mean awsmigrate rke plan --config cluster.yml?",
		"rke2 plan --config cluster.yml":                  "fix      awsmigrate rke plan --config cluster.yml\n",
		"rke2 --config=cluster.yml --yes":                 "fix      awsmigrate rke --config=cluster.yml --yes\n",
		"rke --namespace team --cluster prod":             "fix      awsmigrate rke2 --namespace team --cluster prod\n",
		"job --cluster prod --image x --edits apply":      "fix      awsmigrate job --cluster prod --image x -- --edits apply\n",
		"job --cluster prod --edits=apply --image x -- --until verify": "fix      awsmigrate job --cluster prod --image x -- --edits=apply --until verify\n",
		"job --cluster prod --image x":                                 "fix      awsmigrate job --cluster prod --image x -- --edits apply\n",
		"job --cluster prod --image x -- --until verify":               "fix      awsmigrate job --cluster prod --image x -- --until verify --edits apply\n",
		"job --cluster prod --image x --yes":                           "leave it out: the Job sets it",
		"rke2 --cluster":                                               "flag --cluster: needs a value\n  wanted   for example --cluster fleet-default/prod\n",
		"rke2 --cluster prod --timeout 15":                             "flag --timeout: invalid value \"15\"\n  wanted   a duration, for example --timeout 15m\n  fix      did you mean --timeout 15s or --timeout 15m?\n",
		"rke2 --cluster prod --yes=maybe":                              "flag --yes: invalid value \"maybe\"\n  wanted   true or false, for example --yes=false\n",
		"rke2 --cluster prod --edits":                                  "for example --edits apply",
		"status --watch --history --cluster x":                         "flags --history, --watch: given together\n  wanted   one of them\n",
		"plan --cluster team/prod -n other":                            "fix      leave out --namespace, or use --cluster prod\n",
		"rke2 --cluster a/b/c":                                         "NAME, NAMESPACE/NAME or the id in Rancher's URL",
	} {
		var out, errs bytes.Buffer
		code := Main(t.Context(), strings.Fields(args), console.Streams{Out: &out, Err: &errs, Env: func(string) string { return "" }})
		if code != 2 || out.Len() > 0 || strings.Contains(errs.String(), "unknown command") || strings.Contains(errs.String(), "invalid argument") || !strings.Contains(errs.String(), says) {
			t.Errorf("%s: exit %d, stdout %q\n%s", args, code, out.String(), errs.String())
		}
	}
}

// In a format that there is, what was mistyped is one document.
func TestMistypedFlagAsDocument(t *testing.T) {
	var out, errs bytes.Buffer
	Main(t.Context(), []string{"version", "-o", "json", "--clsuter", "demo"}, console.Streams{Out: &out, Err: &errs})
	var doc view.ErrorDocument
	if err := json.Unmarshal(out.Bytes(), &doc); err != nil || doc.Reason != "UnknownFlag" || doc.Code != 2 {
		t.Errorf("%v: %s", err, out.String())
	}
}

func TestFlagsThatContradict(t *testing.T) {
	t.Setenv("KUBECONFIG", filepath.Join(t.TempDir(), "none"))
	for _, args := range []string{
		"rke2 --cluster demo --etcd-snapshot --no-etcd-snapshot",
		"rke --config cluster.yml --etcd-snapshot --no-etcd-snapshot",
		"rke2 --cluster demo --step install-ccm --until install-ccm",
		"rke2 plan --cluster demo --all",
	} {
		var out, errs bytes.Buffer
		if code := Main(t.Context(), strings.Fields(args), console.Streams{Out: &out, Err: &errs, Env: func(string) string { return "" }}); code != 2 || !strings.Contains(errs.String(), "wanted") || strings.Contains(errs.String(), "kubeconfig") {
			t.Errorf("%s: exit %d, %s", args, code, errs.String())
		}
	}
}

// An undo accepts no flag that has no effect on it.
func TestUndoTakesNoFlagOfTheWayForward(t *testing.T) {
	for _, command := range []string{"rke2", "rke"} {
		for _, flag := range []string{"--kubernetes-version=v1.27.1", "--etcd-snapshot", "--no-etcd-snapshot", "--keep-leader-migration", "--confirm=demo", "--on-failure=undo"} {
			var out, errs bytes.Buffer
			code := Main(t.Context(), []string{command, "undo", "--cluster", "demo", flag}, console.Streams{Out: &out, Err: &errs})
			if code != 2 || !strings.Contains(errs.String(), "no such flag") {
				t.Errorf("%s undo %s: exit %d, %s", command, flag, code, errs.String())
			}
		}
	}
}
