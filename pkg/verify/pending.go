package verify

import "slices"

// Subject is a part of a cluster that steps of a migration change and that checks judge. While a
// step changes it, such a check judges a state that is on its way.
type Subject string

const (
	// ControlPlanes are the static pods of control planes: their arguments and restarts.
	ControlPlanes Subject = "control planes"
	// Kubelets are the arguments of kubelets.
	Kubelets Subject = "kubelets"
	// Rollout is a configuration that is applied to one machine after the other.
	Rollout Subject = "rollout"
	// CCM is the installation of the cloud controller manager.
	CCM Subject = "cloud controller manager"
	// Leases are the holders of the main leases and of the migration lease.
	Leases Subject = "leases"
	// Grant is the right to use the migration lease.
	Grant Subject = "grant"
	// Cordons are cordons of control-plane nodes.
	Cordons Subject = "cordons"
)

// Defer returns a report in which failures and warnings about changed subjects are Pending, for
// the given reason and without a fix. A check that judges none of the subjects, an urgent one and
// one whose evidence is missing keep their results.
func (r Report) Defer(changed []Subject, reason string) Report {
	if len(changed) == 0 {
		return r
	}
	results := r.Results
	r.Results, r.Counts = nil, map[Status]int{}
	for _, res := range results {
		if (res.Status == Fail || res.Status == Warn) && !res.Urgent && res.judgesAny(changed) {
			res = res.deferred(reason)
		}
		r.add(res)
	}
	return r
}

func (m Meta) judgesAny(subjects []Subject) bool {
	return slices.ContainsFunc(m.Subjects, func(s Subject) bool { return slices.Contains(subjects, s) })
}

// deferred returns the result as Pending. The findings keep what was observed.
func (r Result) deferred(reason string) Result {
	findings := slices.Clone(r.Findings)
	for i := range findings {
		if findings[i].Status == Fail || findings[i].Status == Warn {
			findings[i].Status, findings[i].Fix = Pending, ""
		}
	}
	r.Findings, r.Status, r.Reason = findings, Pending, reason
	return r
}
