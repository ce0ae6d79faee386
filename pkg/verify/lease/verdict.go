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
	// NoLease says that the object does not exist.
	NoLease Owner = "no lease"
	// Nobody says that it has no holder.
	Nobody Owner = "nobody"
	// KCM is kube-controller-manager.
	KCM Owner = wellknown.KCM
	// CCM is aws-cloud-controller-manager.
	CCM Owner = wellknown.CCM
	// Foreign is a program that has no business with the lease.
	Foreign Owner = "foreign"
	// HandingOver says that a run of awsmigrate has fenced the holder off: the one before
	// may work until its renew deadline, and the one that waits takes the lease after that.
	HandingOver Owner = "handing over"
	// Undecided says that the two kinds of evidence disagree, or that there is none.
	Undecided Owner = "undecided"
)

// Life says whether the holder is alive.
type Life string

const (
	// Alive renewed while we looked.
	Alive Life = "renewing"
	// Silent did not, but the look was too short to call it dead.
	Silent Life = "not seen renewing"
	// Dead did not renew for its whole renew deadline; a living holder would have
	// given up by then.
	Dead Life = "stuck"
	// NotHeld says that nobody holds it.
	NotHeld Life = "not held"
)

// Verdict is what the readings say about one lease.
type Verdict struct {
	Owner  Owner
	Life   Life
	Holder string        // identity as written
	Looked time.Duration // how long
	Why    string        // how the owner was told, or why not
}

// Text says in a line for people who holds the lease.
func (v Verdict) Text() string {
	switch {
	case v.Owner == NoLease:
		return "not there yet: nobody has taken it"
	case v.Life == NotHeld:
		return "held by nobody yet"
	case v.Life == Silent:
		return fmt.Sprintf("taken by %s, a renewal awaited", v.Owner)
	case v.Life == Dead:
		return fmt.Sprintf("of %s, which does not renew it", v.Owner)
	}
	return fmt.Sprintf("%s, %s", v.Owner, v.Life)
}

// Host is the host-name part of the identity.
func (v Verdict) Host() string { return Host(v.Holder) }

// Host is the host-name part of an identity "<host name>_<uuid>".
func Host(identity string) string {
	if i := strings.LastIndex(identity, "_"); i >= 0 {
		return identity[:i]
	}
	return identity
}

// JudgeMigration tells the owner of the migration lease twice: a process uses
// one identity for its main lock and the migration lock, so equality of
// identities names the component exactly; and the field manager of the last
// renewal is the name of the executable. Where they disagree nothing is claimed.
// renewDeadline is the holder's (10 s by default).
func JudgeMigration(l Leases, renewDeadline time.Duration) Verdict {
	v := judge(l.Migration, renewDeadline)
	if v.Owner == NoLease || v.Owner == Nobody || v.Owner == HandingOver {
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
		v.Why = fmt.Sprintf("holder %s holds neither main lease any more; last written by %s", v.Holder, orNone(l.Migration.Last.Manager))
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

// JudgeMain judges a main lease by its field manager alone.
func JudgeMain(s Series, renewDeadline time.Duration) Verdict { return judge(s, renewDeadline) }

func judge(s Series, renewDeadline time.Duration) Verdict {
	last := s.Last
	v := Verdict{Holder: last.Holder, Looked: s.Span()}
	switch {
	case !last.Exists:
		v.Owner, v.Life, v.Why = NoLease, NotHeld, "the Lease does not exist"
		return v
	case last.Holder == "":
		v.Owner, v.Life, v.Why = Nobody, NotHeld, "the Lease has no holder"
		return v
	case last.Fenced():
		return fenced(s, v)
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

// fenced judges a lease whose holder was fenced off.
func fenced(s Series, v Verdict) Verdict {
	v.Owner, v.Life = HandingOver, Silent
	v.Why = "fenced by awsmigrate run " + strings.TrimPrefix(v.Holder, wellknown.Fence) + ", expires by itself"
	if s.First.Holder == v.Holder && s.Span() >= s.Last.FenceLasts() {
		v.Life = Dead
		v.Why += fmt.Sprintf("; nobody has taken it for %.0f s", s.Span().Seconds())
	}
	return v
}

// ByManager maps a field manager, which is an executable's name, to its component.
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
