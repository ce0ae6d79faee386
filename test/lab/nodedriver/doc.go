// Package nodedriver simulates Rancher's EC2 node driver. It goes from a machine pool's template
// (Amazonec2Config) to the instance, and to the host name of its operating system.
//
// It has these parts:
//
//   - Rancher's arguments for the driver: the cluster's tag (rancher/rancher:pkg/controllers/capr/machineprovision/args.go@05e32bd9, toArgs)
//   - rancher-machine's cloud-config with the machine's host name (rancher/machine:commands/create.go@v0.15.0-rancher110, replaceUserdataFile)
//   - the driver's checks, and its request (rancher/machine:drivers/amazonec2/amazonec2.go@v0.15.0-rancher110, SetConfigFromFlags and innerCreate; v0.9.0 is the same here)
//   - EC2's checks of that request: tags, instance profile, zone of the subnet
//   - the host name that cloud-init sets on an image of Ubuntu (canonical/cloud-init:cloudinit/util.py, get_hostname_fqdn), and the user's commands that set another
//
// The driver has no option for the hop limit of the metadata service, nor for the kind of the
// private DNS name: both are EC2's defaults, 1 and the name by address.
//
// It omits images, key pairs, security groups, spot instances, IPv6, Windows, and shell commands
// other than those that set the host name to a word or to the metadata service's answer. A template
// without zone and subnet gets the zone of the caller, where the driver always takes the zone a. A
// changed template applies to later machines only, while Rancher replaces all machines of its pool
// (rancher/rancher:pkg/controllers/provisioningv2/provisioningcluster/template.go@v2.8.5, createMachineTemplateHash).
//
// The package knows nothing of awsmigrate and shares no code with it.
package nodedriver
