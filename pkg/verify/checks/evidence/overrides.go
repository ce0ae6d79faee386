package evidence

import (
	"github.com/awsmigrate/awsmigrate/pkg/verify"
	"github.com/awsmigrate/awsmigrate/pkg/verify/cloud"
	"github.com/awsmigrate/awsmigrate/pkg/verify/component"
	"github.com/awsmigrate/awsmigrate/pkg/verify/position"
	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

// Overrides returns the values of the cloud config that replace facts of EC2. unread explains why
// a cloud config could not be read, or is empty.
func (in Input) Overrides() (config cloud.Config, unread string) {
	switch {
	case in.CloudConfig.OK():
		return in.CloudConfig.Value, ""
	case in.CloudConfig.Err != nil:
		return cloud.Config{}, in.CloudConfig.Err.Error()
	}
	kcms, _ := in.Facts.KCMs()
	for _, k := range kcms {
		if path := k.Flags.Last(component.CloudConfig); path != "" {
			return cloud.Config{}, "kube-controller-manager runs with --cloud-config=" + path + ", which the API does not show"
		}
	}
	for _, d := range in.DaemonSets.Value {
		for _, c := range d.Containers {
			if path := c.Flags().Last(component.CloudConfig); path != "" {
				return cloud.Config{}, d.String() + " runs with --cloud-config=" + path + ", which is not read"
			}
		}
	}
	if in.Plain && in.Distribution == wellknown.RKE && !in.Position.Position.AtLeast(position.P4) {
		return cloud.Config{}, "rke gives kube-controller-manager one, which the API does not show"
	}
	return cloud.Config{}, ""
}

// Hedged makes findings Unknown if an unread cloud config might refute them.
func (in Input) Hedged(findings []verify.Finding) []verify.Finding {
	_, unread := in.Overrides()
	if unread == "" {
		return findings
	}
	for i, f := range findings {
		if f.Status == verify.Fail || f.Status == verify.Warn {
			findings[i] = verify.Undecided(f.Object, f.Seen+", unless the cloud config says otherwise: "+unread)
		}
	}
	return findings
}

// NoCluster returns the finding for a cluster that no tag names while the cloud config, which may
// name it, was not read.
func NoCluster(unread string) verify.Finding {
	return verify.Undecided("cloud config", "it was not read, and no tag names the cluster: "+unread)
}
