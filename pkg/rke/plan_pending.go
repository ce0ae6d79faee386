package rke

// pending are the changes of the file that `rke up` would apply beside ours.
func (p *Procedure) pending() []PendingChange {
	return Pending(p.facts, p.options.KubernetesVersion)
}
