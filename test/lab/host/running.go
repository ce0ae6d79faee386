package host

import (
	"context"
	"fmt"
	"net"
	"os"
	"runtime"
	"time"

	"golang.org/x/sys/unix"

	"github.com/awsmigrate/awsmigrate/test/lab/proc"
)

// Running is a host that runs.
type Running struct {
	machine Machine
	process *proc.Process
}

// bootTimeout bounds the time until a host's container runtime answers.
const bootTimeout = time.Minute

func (r *Running) waitReady(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, bootTimeout)
	defer cancel()
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for {
		err := r.ping(ctx)
		if err == nil {
			return nil
		}
		select {
		case <-tick.C:
		case <-r.process.Done():
			return fmt.Errorf("it ended with exit code %d; see %s", r.process.ExitCode(), r.machine.log("host"))
		case <-ctx.Done():
			return fmt.Errorf("its container runtime does not answer within %s: %w; see %s", bootTimeout, err, r.machine.log("containerd"))
		}
	}
}

func (r *Running) ping(ctx context.Context) error {
	if r.machine.RKE2 {
		return r.ctr(ctx, "version")
	}
	return pingDocker(ctx, r.process.Pid())
}

// Kubelet runs the kubelet until it ends, and returns its end as an error. If ctx ends before, it
// is killed.
func (r *Running) Kubelet(ctx context.Context, args []string) error {
	kubelet := order{Path: r.machine.kubelet(), Args: append(args, kubeletAdditions()...), Log: r.machine.log("kubelet")}
	return kubelet.run(ctx, within(r.process.Pid(), ordersSocket))
}

// kubeletAdditions are the arguments that a machine in namespaces needs and a real one does not:
// several kubelets share the kernel's cgroup tree.
func kubeletAdditions() []string {
	return []string{
		"--cgroup-driver=cgroupfs", "--cgroups-per-qos=false", "--enforce-node-allocatable=",
		"--local-storage-capacity-isolation=false", "--fail-swap-on=false",
	}
}

// Dial connects to an address in the host's network.
func (r *Running) Dial(ctx context.Context, network, address string) (net.Conn, error) {
	return inNetwork(r.process.Pid(), func() (net.Conn, error) {
		var dialer net.Dialer
		return dialer.DialContext(ctx, network, address)
	})
}

// Listen listens at an address in the host's network.
func (r *Running) Listen(address string) (net.Listener, error) {
	return listenIn(r.process.Pid(), address)
}

// Stop ends the host with all its processes.
func (r *Running) Stop() { r.process.Stop(0) }

func listenIn(pid int, address string) (net.Listener, error) {
	return inNetwork(pid, func() (net.Listener, error) { return net.Listen("tcp", address) })
}

// inNetwork opens a socket in the network of a host, whose first process has the ID. The socket
// belongs to that network however it is used.
func inNetwork[T any](pid int, open func() (T, error)) (T, error) {
	type answer struct {
		socket T
		err    error
	}
	done := make(chan answer)
	go func() {
		runtime.LockOSThread() // never unlocked: the thread in the other network ends with this goroutine
		var got answer
		if got.err = enterNetwork(pid); got.err == nil {
			got.socket, got.err = open()
		}
		done <- got
	}()
	got := <-done
	return got.socket, got.err
}

func enterNetwork(pid int) error {
	network, err := os.Open(fmt.Sprintf("/proc/%d/ns/net", pid))
	if err != nil {
		return err
	}
	defer network.Close()
	if err := unix.Setns(int(network.Fd()), unix.CLONE_NEWNET); err != nil {
		return fmt.Errorf("enter the network of process %d: %w", pid, err)
	}
	return nil
}
