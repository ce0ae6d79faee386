package host

import (
	"context"
	"fmt"
	"net"
	"path/filepath"
	"syscall"
	"time"
)

// Command is the first argument of the program that calls Become; the host's file follows.
const Command = "host"

// Become makes this process the first one of a host. It is in namespaces of its own already, and
// returns only with an error.
func Become(ctx context.Context, file string) error {
	m, err := read(file)
	if err != nil {
		return err
	}
	for _, step := range []struct {
		name string
		run  func(context.Context, Machine) error
	}{
		{"host name", func(_ context.Context, m Machine) error { return syscall.Sethostname([]byte(m.Hostname)) }},
		{"network", setUpNetwork},
		{"root file system", func(_ context.Context, m Machine) error { return m.setUpRoot() }},
	} {
		if err := step.run(ctx, m); err != nil {
			return fmt.Errorf("host %s: %s: %w", m.Name, step.name, err)
		}
	}
	return m.runDaemons()
}

// device is the host's network card.
const device = "eth0"

// cableTimeout bounds the time until the supervisor has connected the host.
const cableTimeout = 20 * time.Second

// setUpNetwork configures the devices inside the host. The metadata service has its address on the
// loopback device; the supervisor listens there.
func setUpNetwork(ctx context.Context, m Machine) error {
	if err := waitForCable(ctx); err != nil {
		return err
	}
	return ip(ctx, "link set lo up", "addr add "+metadataAddress+"/32 dev lo",
		"addr add "+m.Address+prefix+" dev "+device, "link set "+device+" up", "route add default via "+Gateway)
}

func waitForCable(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, cableTimeout)
	defer cancel()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for {
		if _, err := net.InterfaceByName(device); err == nil {
			return nil
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return fmt.Errorf("no %s within %s", device, cableTimeout)
		}
	}
}

// runDaemons starts the host's programs, and then only collects ended processes. The host ends
// with any of its programs.
func (m Machine) runDaemons() error {
	all := &children{ended: map[int]chan syscall.WaitStatus{}}
	failed := make(chan error)
	for _, d := range m.daemons() {
		_, ended, err := all.start(d.name, d.args, m.log(d.name))
		if err != nil {
			return fmt.Errorf("host %s: start %s: %w", m.Name, d.name, err)
		}
		go func() {
			status := <-ended
			failed <- fmt.Errorf("%s ended: exit code %d, signal %v; see %s", d.name, status.ExitStatus(), status.Signal(), m.log(d.name))
		}()
	}
	go func() { failed <- all.reap() }()
	go func() { failed <- all.serveOrders(ordersSocket) }()
	return fmt.Errorf("host %s: %w", m.Name, <-failed)
}

func (m Machine) log(daemon string) string {
	return filepath.Join(m.Dir, "logs", daemon+"@"+m.Name+".log")
}
