package host

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os/exec"
	"strings"
)

// bridgeName is the device that connects the hosts. There is one on a machine, so only one lab has
// hosts at a time.
const (
	devicePrefix = "awslab"
	bridgeName   = devicePrefix + "0"
)

// outside is the end of a host's cable at the bridge; device names have at most 15 characters.
func (m Machine) outside() string { return fmt.Sprintf("%s-h%d", devicePrefix, m.Index) }

func (m Machine) inside() string { return fmt.Sprintf("%s-g%d", devicePrefix, m.Index) }

// OpenNetwork makes the bridge.
func OpenNetwork(ctx context.Context) error {
	if err := free(); err != nil {
		return err
	}
	return ip(ctx, "link add "+bridgeName+" type bridge", "addr add "+Gateway+prefix+" dev "+bridgeName, "link set "+bridgeName+" up")
}

// free returns an error if the bridge exists, or an address of its network is in use.
func free() error {
	_, wanted, err := net.ParseCIDR(network)
	if err != nil {
		return err
	}
	devices, err := net.Interfaces()
	if err != nil {
		return err
	}
	for _, device := range devices {
		if device.Name == bridgeName {
			return fmt.Errorf("device %s exists: another lab has real machines; `lab down` in its folder removes it", bridgeName)
		}
		addresses, err := device.Addrs()
		if err != nil {
			return err
		}
		for _, address := range addresses {
			if at, ok := address.(*net.IPNet); ok && wanted.Contains(at.IP) {
				return fmt.Errorf("device %s has %s, in the network %s that the hosts would use; boot the lab on another machine", device.Name, at, network)
			}
		}
	}
	return nil
}

// closeNetwork removes the bridge and the cables. The kernel removes a cable some time after the end
// of its host, and one that was never connected not at all.
func closeNetwork(ctx context.Context) error {
	devices, err := net.Interfaces()
	if err != nil {
		return err
	}
	var failed []error
	for _, one := range devices {
		if !strings.HasPrefix(one.Name, devicePrefix) {
			continue
		}
		err := ip(ctx, "link del "+one.Name)
		if _, gone := net.InterfaceByName(one.Name); gone == nil { // it goes with its other end, or with its network
			failed = append(failed, err)
		}
	}
	return errors.Join(failed...)
}

// cable connects a host, whose first process has the ID, with the bridge. Cable and network
// namespace end with the host.
func (m Machine) cable(ctx context.Context, pid int) error {
	return ip(ctx,
		fmt.Sprintf("link add %s type veth peer name %s", m.outside(), m.inside()),
		fmt.Sprintf("link set %s master %s up", m.outside(), bridgeName),
		fmt.Sprintf("link set %s netns %d name %s", m.inside(), pid, device),
	)
}

// ip runs commands of iproute2.
func ip(ctx context.Context, commands ...string) error {
	for _, command := range commands {
		if out, err := exec.CommandContext(ctx, "ip", strings.Fields(command)...).CombinedOutput(); err != nil {
			return fmt.Errorf("ip %s: %w: %s", command, err, strings.TrimSpace(string(out)))
		}
	}
	return nil
}
