package cli

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/spf13/pflag"

	"github.com/awsmigrate/awsmigrate/internal/cli/target"
	"github.com/awsmigrate/awsmigrate/internal/job"
	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

// Flags of a run that do not fit a pod, with the reason.
const (
	setByJob = "the Job sets it; give it to `awsmigrate job`"
	inAFile  = "names a file, which the pod does not have"
	notInJob = "is for a person at a terminal"
)

// unfitForJob is nil for a flag that may be passed on.
func unfitForJob(flag string) error {
	why, unfit := map[string]string{
		"cluster": setByJob, "namespace": setByJob, "plan": setByJob, "yes": setByJob, "output": setByJob,
		"kubeconfig": inAFile, "context": inAFile, "downstream-kubeconfig": inAFile, "cloud-config": inAFile, "chart": inAFile,
		"values": inAFile, "profile": inAFile, "config": inAFile, "rke-binary": inAFile, "rke-arg": inAFile, "no-rke-up": inAFile, "include-pending": inAFile,
		"dry-run": notInJob, "on-failure": notInJob, "help": notInJob, "progress": notInJob, "verbose": notInJob, "record": notInJob, "report": notInJob, "notify-exec": notInJob,
	}[flag]
	if !unfit {
		return nil
	}
	return fmt.Errorf("flag --%s after --: %s", flag, why)
}

// checkRunFlags parses what the run will parse, so that a typing error shows here and
// not in a pod.
func checkRunFlags(distribution wellknown.Distribution, args []string) error {
	var of target.Checked = &target.RKE2{}
	words := []string{"--cluster", "c-xxxxx"}
	if distribution == wellknown.RKE {
		of = &target.RKE{}
	}
	engine := &engineFlags{}
	flags := pflag.NewFlagSet(string(distribution), pflag.ContinueOnError)
	flags.Usage = func() {}
	of.Register(flags)
	engine.register(flags)
	engine.registerForward(flags)
	flags.BoolP("help", "h", false, "")
	flags.StringP("output", "o", "jsonl", "")
	if err := flags.Parse(args); err != nil {
		return fault.AsUsage(fmt.Errorf("after --: %w", err))
	}
	if flags.NArg() > 0 {
		return fault.AsUsage(fmt.Errorf("after --: argument %q, wanted flags of `awsmigrate %s`", flags.Arg(0), distribution))
	}
	var unfit error
	flags.Visit(func(f *pflag.Flag) {
		if unfit == nil {
			unfit = unfitForJob(f.Name)
		}
	})
	if unfit != nil {
		return fault.AsUsage(unfit)
	}
	if err := flags.Parse(words); err != nil { // what Check asks for and the Job sets
		return fault.AsUsage(err)
	}
	if err := engine.check(); err != nil {
		return err
	}
	return of.Check()
}

// planFor is the text of a saved plan, if it is one for this cluster.
func planFor(path string, o job.Options) ([]byte, error) {
	text, err := runner.PlanLimits().ReadFile(path)
	if err != nil {
		return nil, noPlan(path, "cannot be read", err)
	}
	doc, err := parsePlan(path, text)
	if err != nil {
		return nil, err
	}
	if doc.Target.Name != o.Cluster || (o.Distribution == wellknown.RKE2 && doc.Target.Namespace != o.Namespace) {
		return nil, &fault.Error{Class: fault.Usage, Reason: "WrongTarget", Object: "file " + path,
			Seen: fmt.Sprintf("is for %s %s/%s", doc.Target.Kind, doc.Target.Namespace, doc.Target.Name), Wanted: fmt.Sprintf("%s/%s", o.Namespace, o.Cluster)}
	}
	return compactPlan(path, text)
}

// planLimit leaves room for the rest of the object in the annotation in which `kubectl
// apply` keeps it whole once more: annotations hold 256 KiB in all
// (kubernetes/kubernetes:staging/src/k8s.io/apimachinery/pkg/api/validation/objectmeta.go@v1.26.13).
const planLimit = 250 << 10

// compactPlan is the plan without blanks between its fields, if it fits a ConfigMap.
func compactPlan(path string, text []byte) ([]byte, error) {
	var compact bytes.Buffer
	if err := json.Compact(&compact, text); err != nil {
		return nil, noPlan(path, "is no plan", err)
	}
	kept, err := json.Marshal(compact.String()) // as the annotation has it
	if err != nil {
		return nil, noPlan(path, "is no plan", err)
	}
	if len(kept) > planLimit {
		return nil, &fault.Error{Class: fault.Usage, Reason: "PlanTooLarge", Object: "file " + path,
			Seen: fmt.Sprintf("%d bytes", len(kept)), Wanted: fmt.Sprintf("at most %d, which `kubectl apply` can note beside a ConfigMap", planLimit),
			Fix: "leave --plan out: the run then makes its own plan"}
	}
	return compact.Bytes(), nil
}
