package cli

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/spf13/pflag"

	"github.com/awsmigrate/awsmigrate/internal/cli/target"
	"github.com/awsmigrate/awsmigrate/internal/cli/usage"
	"github.com/awsmigrate/awsmigrate/internal/job"
	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/options"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

// unfitForJob returns an error if a Job cannot pass a flag on.
func unfitForJob(flag string, scope options.Scope) error {
	o, known := options.Find(flag, scope)
	switch {
	case flag == "output":
		o.NotInJob = "the Job sets it"
	case !known: // --help
		o.NotInJob = "is for a person at a terminal"
	}
	if o.NotInJob == "" {
		return nil
	}
	return fmt.Errorf("flag --%s after --: %s; leave it out", flag, o.NotInJob)
}

// checkRunFlags parses the flags of the run, so that an error shows here and not in a pod.
func checkRunFlags(distribution wellknown.Distribution, args []string) error {
	var of target.Checked = &target.RKE2{}
	scope := options.RKE2 | options.Run
	words := []string{"--cluster", "c-xxxxx"}
	if distribution == wellknown.RKE {
		of, scope = &target.RKE{}, options.RKE|options.Run
	}
	engine := &engineFlags{}
	flags := pflag.NewFlagSet(string(distribution), pflag.ContinueOnError)
	flags.Usage = func() {}
	of.Register(flags)
	engine.register(flags)
	flags.BoolP("help", "h", false, "")
	flags.StringP("output", "o", "jsonl", "")
	if err := flags.Parse(args); err != nil {
		return fmt.Errorf("after --: %w", usage.ValueError(err, scope))
	}
	if flags.NArg() > 0 {
		return fault.AsUsage(fmt.Errorf("after --: argument %q, wanted flags of `awsmigrate %s`", flags.Arg(0), distribution))
	}
	var unfit error
	flags.Visit(func(f *pflag.Flag) {
		if unfit == nil {
			unfit = unfitForJob(f.Name, scope)
		}
	})
	if unfit != nil {
		return fault.AsUsage(unfit)
	}
	if err := flags.Parse(words); err != nil { // set flags that Check requires and the Job provides
		return fault.AsUsage(err)
	}
	if err := target.CheckFlags(flags, scope); err != nil {
		return err
	}
	if err := engine.check(); err != nil {
		return err
	}
	return of.Check()
}

// planFor returns the text of a saved plan if it is for this cluster.
func planFor(path string, o job.Options) ([]byte, error) {
	text, err := runner.PlanLimits().ReadFile(path)
	if err != nil {
		return nil, noPlan(path, "cannot be read", err)
	}
	doc, err := parsePlan(path, text)
	if err != nil {
		return nil, err
	}
	if doc.Target.Name != o.Cluster || (!o.Distribution.NamedByID() && doc.Target.Namespace != o.Namespace) {
		return nil, &fault.Error{Class: fault.Usage, Reason: "WrongTarget", Object: "file " + path,
			Seen: fmt.Sprintf("is for %s %s/%s", doc.Target.Kind, doc.Target.Namespace, doc.Target.Name), Wanted: fmt.Sprintf("%s/%s", o.Namespace, o.Cluster)}
	}
	return compactPlan(path, text)
}

// planLimit leaves room for the rest of the object in the annotation of `kubectl apply`, which
// repeats the whole object. Annotations hold 256 KiB in total
// (kubernetes/kubernetes:staging/src/k8s.io/apimachinery/pkg/api/validation/objectmeta.go@v1.26.13).
const planLimit = 250 << 10

// compactPlan returns the plan without whitespace between its fields, if it fits a ConfigMap.
func compactPlan(path string, text []byte) ([]byte, error) {
	var compact bytes.Buffer
	if err := json.Compact(&compact, text); err != nil {
		return nil, noPlan(path, "is no plan", err)
	}
	kept, err := json.Marshal(compact.String()) // as in the annotation
	if err != nil {
		return nil, noPlan(path, "is no plan", err)
	}
	if len(kept) > planLimit {
		return nil, &fault.Error{Class: fault.Usage, Reason: "PlanTooLarge", Object: "file " + path,
			Seen: fmt.Sprintf("%d bytes", len(kept)), Wanted: fmt.Sprintf("at most %d, which `kubectl apply` can repeat in an annotation", planLimit),
			Fix: "leave --plan out: the run then makes its own plan"}
	}
	return compact.Bytes(), nil
}
