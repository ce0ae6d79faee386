package verifyview

import (
	"errors"
	"slices"

	"github.com/awsmigrate/awsmigrate/internal/access"
	"github.com/awsmigrate/awsmigrate/internal/cli/console"
	"github.com/awsmigrate/awsmigrate/internal/cli/view"
	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/plaintext"
	"github.com/awsmigrate/awsmigrate/pkg/verify/cloud"
)

// AccessDocument is the document of `verify --access`. All other views show its contents.
type AccessDocument struct {
	view.TypeMeta
	Cluster string         `json:"cluster"` // the name as given
	Purpose access.Purpose `json:"purpose"` // what the rights are for
	// Rancher is Rancher's own cluster, or nil if Rancher is not involved.
	Rancher *APIAccess `json:"rancher,omitempty"`
	Here    APIAccess  `json:"here"` // the cluster to migrate
	AWS     AWSAccess  `json:"aws"`
	Code    int        `json:"code"` // the exit code

	report  access.Report
	outcome error
}

// APIAccess holds the answers of one API server.
type APIAccess struct {
	Server  string              `json:"server,omitempty"`
	Version string              `json:"version,omitempty"` // of Kubernetes
	User    string              `json:"user,omitempty"`    // the user that the API maps the credentials to
	Seconds float64             `json:"seconds,omitempty"` // until the answer or the timeout
	Problem *view.FaultDocument `json:"problem,omitempty"` // why it was not asked or did not answer
	Needed  int                 `json:"needed"`            // number of rights
	Missing []access.Right      `json:"missing"`
	Unknown []access.Right      `json:"unknown"` // rights without an answer
	// Manifest grants exactly the missing and unknown rights: YAML for kubectl apply.
	Manifest string `json:"manifest,omitempty"`
}

// AWSAccess holds the answers of AWS.
type AWSAccess struct {
	Off     string              `json:"off,omitempty"`    // why AWS was not asked
	Source  string              `json:"source,omitempty"` // where the credentials are configured
	Region  string              `json:"region,omitempty"`
	Account string              `json:"account,omitempty"`
	ARN     string              `json:"arn,omitempty"`     // the identity of the credentials
	Problem *view.FaultDocument `json:"problem,omitempty"` // why AWS could not be asked
	Needed  int                 `json:"needed"`            // number of actions
	Missing []string            `json:"missing"`
	Unknown []string            `json:"unknown"`
	// Policy allows exactly the missing and unknown actions.
	Policy *access.Policy `json:"policy,omitempty"`
}

// NewAccess returns the document of a report. It sanitizes foreign texts for all views.
func NewAccess(r access.Report) (AccessDocument, error) {
	outcome := errors.Join(r.Problems()...)
	doc := AccessDocument{TypeMeta: view.KindOf("Access"), Cluster: plaintext.Tidy(r.Cluster.Asked), Purpose: r.Purpose,
		AWS: newAWSAccess(r), Code: view.ExitCode(outcome), report: r, outcome: outcome}
	var err, other error
	doc.Here, err = newAPIAccess(r.Purpose, r.Here)
	if r.Rancher != nil {
		var rancher APIAccess
		rancher, other = newAPIAccess(r.Purpose, *r.Rancher)
		doc.Rancher = &rancher
	}
	return doc, errors.Join(err, other)
}

// Outcome returns the error of the report, or nil if no right is missing.
func (doc AccessDocument) Outcome() error { return doc.outcome }

func newAPIAccess(p access.Purpose, a access.API) (APIAccess, error) {
	manifest, err := access.Manifest(p, a.ToGrant(), a.User)
	return APIAccess{Server: plaintext.Tidy(a.Server), Version: plaintext.Tidy(a.Version), User: plaintext.Tidy(a.User), Seconds: a.Took.Seconds(),
		Problem: problemOf(a.Err), Needed: len(a.Needed), Missing: a.Missing, Unknown: a.Unknown, Manifest: manifest}, err
}

func newAWSAccess(r access.Report) AWSAccess {
	a := r.AWS
	doc := AWSAccess{Off: plaintext.Tidy(a.Off), Source: plaintext.Tidy(a.Source), Region: plaintext.Tidy(a.Region),
		Account: plaintext.Tidy(a.Identity.Value.Account), ARN: plaintext.Tidy(a.Identity.Value.ARN), Policy: r.Policy()}
	if a.Err != nil {
		doc.Problem = problemOf(r.AWSProblem())
	}
	if a.Meant {
		return doc
	}
	doc.Needed, doc.Missing, doc.Unknown = len(a.Actions), a.Refused(), namesOf(a.Unknown())
	return doc
}

func namesOf(all []cloud.Asked) []string {
	var names []string
	for _, one := range all {
		names = append(names, one.Action)
	}
	return names
}

// problemOf returns a sanitized error as data, or nil for nil.
func problemOf(err error) *view.FaultDocument {
	if err == nil {
		return nil
	}
	doc := view.NewFaultDocument(err)
	for _, text := range []*string{&doc.Object, &doc.Seen, &doc.Wanted, &doc.Fix, &doc.Cause} {
		*text = plaintext.Tidy(*text)
	}
	return &doc
}

// AccessFormats returns the output formats of access.
func AccessFormats() []string {
	return slices.Concat([]string{"text", "json", "yaml"}, AccessPieces())
}

// AccessPieces returns the formats that contain only what to apply: with kubectl in the cluster itself, in
// Rancher's cluster, and in AWS.
func AccessPieces() []string { return []string{"rbac", "rbac-rancher", "iam"} }

// WriteAccess prints a document in one of AccessFormats. command prints the same document; the formats to
// apply are appended to it.
func WriteAccess(streams console.Streams, format, command string, doc AccessDocument) error {
	switch format {
	case "text":
		return writeAccessText(console.NewScreen(streams, streams.Out), command, doc)
	case "rbac":
		return writePiece(streams, access.Here(doc.Cluster), doc.Here.Manifest)
	case "rbac-rancher":
		if doc.Rancher == nil {
			return fault.AsUsage(errors.New("flag --output: rbac-rancher, wanted a cluster in Rancher, by --cluster"))
		}
		return writePiece(streams, access.InRancher, doc.Rancher.Manifest)
	case "iam":
		if doc.AWS.Policy == nil {
			return writePiece(streams, access.InAWS, "")
		}
		return view.WriteDocument(streams.Out, "json", doc.AWS.Policy)
	}
	return view.WriteDocument(streams.Out, format, doc)
}

// writePiece prints what to apply. If there is nothing, it says so on stderr and prints nothing on stdout.
func writePiece(streams console.Streams, where, text string) error {
	if text == "" {
		console.Say(streams, "nothing is missing in "+where)
	}
	_, err := streams.Out.Write([]byte(text))
	return err
}
