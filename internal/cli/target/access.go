package target

import (
	"k8s.io/utils/clock"

	"github.com/awsmigrate/awsmigrate/internal/access"
	"github.com/awsmigrate/awsmigrate/internal/access/ask"
	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/verify/aws"
)

// Access returns the question which permissions these credentials have on the named cluster.
func (t *Audited) Access(purpose access.Purpose, o migration.Options) (ask.Question, error) {
	q := ask.Question{Purpose: purpose, Clock: clock.RealClock{}, AWS: aws.Options{Mode: aws.Mode(o.AWS), Identity: o.AWSIdentity, Region: o.Region,
		Profile: o.Profile, AssumeRole: o.AssumeRole, ExternalID: o.ExternalID, SessionName: o.SessionName}}
	of, err := t.named()
	q.Target = of
	if t.Cluster != "" {
		q.AsRKE = t.rke()
	}
	return q, err
}
