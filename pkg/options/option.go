package options

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
)

// Kind is the form of an option's value.
type Kind int

const (
	// Text is one string.
	Text Kind = iota
	// Switch is true or false.
	Switch
	// Duration is a time.Duration.
	Duration
	// Number is an int.
	Number
	// Set is strings in no order, with commas between them or repeated.
	Set
	// Repeated is a list of strings, each given by a separate flag.
	Repeated
	// Reasons maps IDs to reasons, each given as ID=REASON.
	Reasons
	// File is the text of a file that the flag names.
	File
	// Documents is the YAML documents of the files that the flags name, merged in order.
	Documents
)

// Group is the heading of an option in help.
type Group string

// The groups, in the order of help.
const (
	ClusterGroup Group = "Which cluster"
	AccessGroup  Group = "Access"
	WorkGroup    Group = "What is done"
	RunGroup     Group = "How it runs"
)

// Groups returns every group in the order of help.
func Groups() []Group { return []Group{ClusterGroup, AccessGroup, WorkGroup, RunGroup} }

// Basis selects the form of an option in a plan's basis.
type Basis int

const (
	// NoBasis leaves the option out: it shapes no step.
	NoBasis Basis = iota
	// ByValue holds the resolved value.
	ByValue
	// ByDigest holds the SHA-256 digest of the value.
	ByDigest
)

// Option is one row of the table.
type Option struct {
	Flag, Short string
	Group       Group
	Scope       Scope
	Help        string // pflag prints a word in back quotes as the value's name
	Kind        Kind
	Words       []string // the valid values; the default is valid, too
	Default     string   // "$NAME": the environment variable NAME, which the command line reads
	Bare        string   // the value of the flag without a value
	Min         string   // the minimum of a Duration or a Number
	Pattern     string   // a regular expression for values that are not empty
	Wanted      string   // the pattern in words
	Private     bool     // errors do not show the value
	With        string   // the flag that has to be given, too
	Negates     string   // the Switch that this one turns off
	OffBy       string   // "flag=word" by which the default of a Switch is off
	Offer       Offer
	Basis       Basis
	ByContent   bool   // the plan itself shows what the option changes, so that no basis holds it
	Path        string // the field of a ClusterMigration, such as "spec.options.endState"
	NotInObject string // why a ClusterMigration has no such field
	NotInJob    string // why a Job cannot pass the flag on
	NotManaged  string // why an RKE cluster that Rancher manages cannot have the option
}

// Offer describes the completions of a flag in a shell. Words are offered without it.
type Offer struct {
	Source Vocabulary
	Ending []string // of the names of files
	Free   string   // why nothing is offered
}

// Vocabulary names where offered words are read.
type Vocabulary string

// The vocabularies.
const (
	AnyFile         Vocabulary = "files"
	Clusters        Vocabulary = "clusters"
	RKE2Clusters    Vocabulary = "clusters of RKE2"
	RKEClusters     Vocabulary = "clusters of RKE"
	Namespaces      Vocabulary = "namespaces"
	Contexts        Vocabulary = "contexts"
	Profiles        Vocabulary = "profiles"
	Steps           Vocabulary = "steps"
	Checks          Vocabulary = "checks"
	SkippableChecks Vocabulary = "checks that may be skipped"
)

// Choice reports whether the option is one word of several.
func (o Option) Choice() bool { return o.Kind == Text && len(o.Words) > 0 }

// Usage returns the help text of the flag, with its words before it.
func (o Option) Usage() string {
	if o.Choice() {
		return strings.Join(o.Words, "|") + ": " + o.Help
	}
	return o.Help
}

// Shapes reports whether the option changes the steps of a migration, so that every command that
// continues the migration needs it.
func (o Option) Shapes() bool { return o.Basis != NoBasis || o.Negates != "" || o.ByContent }

// Check returns an error if text is no valid value. The default is always valid.
func (o Option) Check(text string) error {
	switch {
	case text == o.Default:
		return nil
	case o.Choice() && !slices.Contains(o.Words, text):
		return o.invalid(text, joinWords(o.Words))
	case o.Min != "" && o.isBelow(text):
		return o.invalid(text, o.minimum())
	case o.Pattern != "" && !regexp.MustCompile(o.Pattern).MatchString(text):
		return o.invalid(text, o.Wanted)
	}
	return nil
}

func (o Option) isBelow(text string) bool {
	if o.Kind == Number {
		value, err := strconv.Atoi(text)
		minimum, _ := strconv.Atoi(o.Min)
		return err != nil || value < minimum
	}
	value, err := time.ParseDuration(text)
	minimum, _ := time.ParseDuration(o.Min)
	return err != nil || value < minimum
}

// minimum returns the minimum in words: 1ns is how the table says "more than 0".
func (o Option) minimum() string {
	if o.Min == "1ns" || o.Min == "1" {
		return "more than 0"
	}
	return o.Min + " or more"
}

func (o Option) invalid(text, wanted string) error {
	seen := fmt.Sprintf("invalid value %q", text)
	if o.Private {
		seen = "invalid value"
	}
	return usage(seen, wanted, o.Flag)
}

// usage returns an error about flags.
func usage(seen, wanted string, flags ...string) error {
	object := "flag --" + flags[0]
	if len(flags) > 1 {
		object = "flags --" + strings.Join(flags, ", --")
	}
	return &fault.Error{Class: fault.Usage, Reason: "Usage", Object: object, Seen: seen, Wanted: wanted}
}

// joinWords joins words as a sentence does: "a, b or c".
func joinWords(words []string) string {
	last := len(words) - 1
	if last == 0 {
		return words[0]
	}
	return strings.Join(words[:last], ", ") + " or " + words[last]
}
