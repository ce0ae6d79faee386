package lease

import (
	"fmt"
	"strings"
	"time"

	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

// Owner is the component that holds a lease.
type Owner string

const (
	// NoLease means that the Lease does not exist.
	NoLease Owner = "no lease"
	// NoHolder means that the Lease has no holder.
	NoHolder Owner = "nobody" // words:ok: a value of documents
	// KCM is kube-controller-manager.
	KCM Owner = wellknown.KCM
	// CCM is aws-cloud-controller-manager.
	CCM Owner = wellknown.CCM
	// Foreign is any other program.
	Foreign Owner = "foreign"
	// HandingOver means that a run of awsmigrate fenced the holder. The previous holder may
	// work until its renew deadline; then a waiting candidate takes the lease.
	HandingOver Owner = "handing over"
	// Undecided means that identity and field manager disagree, or that both are missing.
	Undecided Owner = "undecided"
)

// Life describes whether the holder of a lease is alive.
type Life string

const (
	// Alive means that the holder renewed between the readings.
	Alive Life = "renewing"
	// Silent means that it did not, but the readings span less than its renew deadline.
	Silent Life = "not seen renewing"
	// Dead means that it did not renew for its whole renew deadline. A living holder would
	// have given up by then.
	Dead Life = "stuck"
	// NotHeld means that the lease has no holder or does not exist.
	NotHeld Life = "not held"
)

// Verdict describes the holder of one lease.
type Verdict struct {
	Owner  Owner
	Life   Life
	Holder string        // identity as written
	Looked time.Duration // time between the readings
	Why    string        // how the owner was determined, or why it was not
}

// Text describes the holder of the lease in one line for people.
func (v Verdict) Text() string {
	switch {
	case v.Owner == NoLease:
		return "not created yet"
	case v.Life == NotHeld:
		return "no holder yet"
	case v.Life == Silent:
		return fmt.Sprintf("acquired by %s, not renewed yet", v.Owner)
	case v.Life == Dead:
		return fmt.Sprintf("held by %s, which does not renew it", v.Owner)
	}
	return fmt.Sprintf("%s, %s", v.Owner, v.Life)
}

// Host returns the host name in the holder's identity.
func (v Verdict) Host() string { return Host(v.Holder) }

// Host returns the host name in an identity "<host name>_<uuid>".
func Host(identity string) string {
	if i := strings.LastIndex(identity, "_"); i >= 0 {
		return identity[:i]
	}
	return identity
}

// JudgeMigration judges the migration lease by two kinds of evidence. A process uses one
// identity for its main lock and for the migration lock, so equal identities name the
// component exactly. The field manager of the last renewal names the executable. The owner is
// undecided if they disagree. renewDeadline is the holder's (10 s by default).
func JudgeMigration(l Leases, renewDeadline time.Duration) Verdict {
	v := judge(l.Migration, renewDeadline)
	if v.Owner == NoLease || v.Owner == NoHolder || v.Owner == HandingOver {
		return v
	}
	byIdentity := Undecided
	switch v.Holder {
	case l.KCM.First.Holder, l.KCM.Last.Holder:
		byIdentity = KCM
	case l.CCM.First.Holder, l.CCM.Last.Holder:
		byIdentity = CCM
	}
	byManager := v.Owner
	switch {
	case byIdentity == Undecided && v.Life == Alive:
		v.Owner = Undecided
		v.Why = fmt.Sprintf("holder %s renews, but holds neither main lease (last written by %s)", v.Holder, orNone(l.Migration.Last.Manager))
	case byIdentity == Undecided:
		v.Why = fmt.Sprintf("holder %s no longer holds a main lease; last written by %s", v.Holder, orNone(l.Migration.Last.Manager))
	case byManager == Undecided:
		v.Owner = byIdentity
		v.Why = "same identity as the main lease of " + string(byIdentity) + "; managedFields not delivered"
	case byManager != byIdentity:
		v.Owner = Undecided
		v.Why = fmt.Sprintf("identity is that of %s, last written by %s", byIdentity, l.Migration.Last.Manager)
	default:
		v.Owner = byIdentity
		v.Why = "same identity as the main lease, and written by " + l.Migration.Last.Manager
	}
	return v
}

// JudgeMain judges a main lease by its field manager.
func JudgeMain(s Series, renewDeadline time.Duration) Verdict { return judge(s, renewDeadline) }

func judge(s Series, renewDeadline time.Duration) Verdict {
	last := s.Last
	v := Verdict{Holder: last.Holder, Looked: s.Span()}
	switch {
	case !last.Exists:
		v.Owner, v.Life, v.Why = NoLease, NotHeld, "the Lease does not exist"
		return v
	case last.Holder == "":
		v.Owner, v.Life, v.Why = NoHolder, NotHeld, "the Lease has no holder"
		return v
	case last.Fenced():
		return judgeFenced(s, v)
	case s.Renewed():
		v.Life = Alive
	case s.Span() >= renewDeadline:
		v.Life = Dead
	default:
		v.Life = Silent
	}
	v.Owner = ByManager(last.Manager)
	v.Why = "last written by " + orNone(last.Manager)
	return v
}

// judgeFenced judges a lease whose holder was fenced.
func judgeFenced(s Series, v Verdict) Verdict {
	v.Owner, v.Life = HandingOver, Silent
	v.Why = "fenced by awsmigrate run " + strings.TrimPrefix(v.Holder, wellknown.Fence) + ", expires without action"
	if s.First.Holder == v.Holder && s.Span() >= s.Last.TakenWithin() {
		v.Life = Dead
		v.Why += fmt.Sprintf("; no candidate acquired it for %.0f s", s.Span().Seconds())
	}
	return v
}

// ByManager returns the component that a field manager (an executable's name) stands for.
func ByManager(manager string) Owner {
	switch manager {
	case wellknown.KCM:
		return KCM
	case wellknown.CCM, "cloud-controller-manager":
		return CCM
	case "":
		return Undecided
	}
	return Foreign
}

func orNone(s string) string {
	if s == "" {
		return "an unknown program"
	}
	return s
}
