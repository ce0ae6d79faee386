package choices

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/awsmigrate/awsmigrate/internal/session"
	"github.com/awsmigrate/awsmigrate/pkg/apis/awsmigrate.io/v1alpha1"
	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/options"
)

// Of returns the options that an object sets for a cluster of a kind; the others have the defaults
// of that kind. It reads no Secret: see Secrets.
func Of(spec v1alpha1.ClusterMigrationSpec, kind session.Kind) (session.Choices, error) {
	var c session.Choices
	text, err := json.Marshal(map[string]any{"spec": spec})
	if err != nil {
		return c, fault.AsUsage(fmt.Errorf("spec: %w", err))
	}
	var object map[string]any
	if err := json.Unmarshal(text, &object); err != nil {
		return c, fault.AsUsage(fmt.Errorf("spec: %w", err))
	}
	scope := options.RKE2
	if kind == session.RKE {
		scope = options.RKE
		if err := refuseOthers(object); err != nil {
			return c, err
		}
	}
	return c, c.Fill(scope, func(o options.Option) (any, bool, error) { return valueOf(object, o) })
}

// refuseOthers returns an error if an object sets an option that an RKE cluster of Rancher cannot
// have. The first word of a choice is right for every cluster.
func refuseOthers(object map[string]any) error {
	for _, o := range options.For(options.RKE2) {
		value, given, err := valueOf(object, o)
		ofRKE, has := options.Find(o.Flag, options.RKE)
		neutral := value == "false" || o.Choice() && value == o.Words[0]
		if err != nil || !given || neutral || has && ofRKE.NotManaged == "" {
			continue
		}
		return &fault.Error{Class: fault.Usage, Reason: "Usage", Object: o.Path, Seen: fmt.Sprint(value), Wanted: "absent: only a cluster of RKE2 can have it"}
	}
	return nil
}

// valueOf returns the value of an option in an object. A Secret's is not in it.
func valueOf(object map[string]any, o options.Option) (value any, given bool, err error) {
	if o.Path == "" || o.Kind == options.File {
		return nil, false, nil
	}
	field, found, err := unstructured.NestedFieldNoCopy(object, strings.Split(o.Path, ".")...)
	if !found || err != nil {
		return nil, false, err
	}
	switch value := field.(type) {
	case string:
		return wordOf(o, value), value != "", nil
	case map[string]any:
		return value, true, nil
	case []any:
		if o.Kind == options.Set {
			return listOf(value), true, nil
		}
		if o.Kind == options.Reasons {
			return reasonsOf(value), true, nil
		}
	}
	return nil, false, fault.AsUsage(fmt.Errorf("%s: unexpected %T", o.Path, field))
}

// wordOf returns the word of the command line for one of an object.
func wordOf(o options.Option, word string) string {
	words := o.Words
	if o.Kind == options.Switch {
		words = []string{"true", "false"}
	}
	for _, own := range words {
		if options.ObjectWord(own) == word {
			return own
		}
	}
	return word
}

func listOf(items []any) []string {
	var list []string
	for _, item := range items {
		list = append(list, fmt.Sprint(item))
	}
	return list
}

func reasonsOf(items []any) map[string]string {
	reasons := map[string]string{}
	for _, item := range items {
		if check, is := item.(map[string]any); is {
			reasons[fmt.Sprint(check["id"])] = fmt.Sprint(check["reason"])
		}
	}
	return reasons
}

// OrElse fills empty AWS fields of an object from the installation. The installation's role is
// for its own identity, so an object with its own Secret does not get it.
func OrElse(object, installation v1alpha1.AWS) v1alpha1.AWS {
	if object.Mode == "" {
		object.Mode = installation.Mode
	}
	if object.Region == "" {
		object.Region = installation.Region
	}
	if object.AssumeRole == "" && object.SecretRef == nil {
		object.AssumeRole = installation.AssumeRole
	}
	return object
}

// Timeout is the longest time without progress; zero: the engine's.
func Timeout(o v1alpha1.Options) time.Duration {
	longest, err := time.ParseDuration(o.Timeout)
	if err != nil {
		return 0 // Validate has refused invalid values
	}
	return longest
}
