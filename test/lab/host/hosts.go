package host

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/awsmigrate/awsmigrate/test/lab/proc"
)

// The keys in the lab's folder: the hosts' and the one with which a user, rke, logs in.
const (
	hostKey  = "ssh/host_key"
	userKey  = "ssh/id_rsa"
	imageDir = "images"
)

// Hosts are the hosts of one lab.
type Hosts struct {
	Dir        string // the lab's folder
	Binaries   string // folder of the lab's programs
	Program    string // the program that calls Become after Command
	Supervisor *proc.Supervisor

	alone *os.File // held until the process ends
}

// Open prepares this machine: its network, the record of its state, and keys.
func (h *Hosts) Open(ctx context.Context) (err error) {
	if err := Missing(h.Binaries); err != nil {
		return err
	}
	if err := OpenNetwork(ctx); err != nil {
		return err
	}
	if h.alone, err = LockMachine(); err == nil {
		err = saveOriginal(h.Dir) // by them Clean knows that the network is this lab's
	}
	if err != nil {
		return errors.Join(err, closeNetwork(ctx))
	}
	return h.writeKeys(ctx)
}

// RKE returns the path of the real rke.
func (h *Hosts) RKE() string { return filepath.Join(h.Binaries, rkeProgram) }

func (h *Hosts) writeKeys(ctx context.Context) error {
	if err := os.MkdirAll(filepath.Join(h.Dir, filepath.Dir(userKey)), 0o700); err != nil {
		return err
	}
	for file, kind := range map[string]string{hostKey: "-t ed25519", userKey: "-t rsa -b 2048 -m PEM"} { // rke reads PEM
		args := append(strings.Fields("-q "+kind), "-N", "", "-f", filepath.Join(h.Dir, file))
		if out, err := exec.CommandContext(ctx, "ssh-keygen", args...).CombinedOutput(); err != nil {
			return fmt.Errorf("ssh-keygen: %w: %s", err, strings.TrimSpace(string(out)))
		}
	}
	return nil
}

// Boot starts the machines with their images. metadata serves a machine's instance metadata. It
// returns when Docker answers on each.
func (h *Hosts) Boot(ctx context.Context, machines []Machine, metadata func(Machine) http.Handler) error {
	images, err := buildImages(ctx, h.Binaries, filepath.Join(h.Dir, imageDir))
	if err != nil {
		return err
	}
	parts, booting := errgroup.WithContext(ctx)
	for _, m := range machines {
		m.Dir, m.Binaries = h.Dir, h.Binaries
		parts.Go(func() error {
			process, err := h.start(booting, m)
			if err == nil {
				err = serveMetadata(ctx, process.Pid(), metadata(m))
			}
			if err == nil {
				err = m.waitDocker(booting, process)
			}
			if err == nil {
				err = images.load(booting, process.Pid())
			}
			if err != nil {
				return fmt.Errorf("host %s: %w", m.Name, err)
			}
			return nil
		})
	}
	return parts.Wait()
}

// namespaces are those of a host.
const namespaces = syscall.CLONE_NEWNS | syscall.CLONE_NEWUTS | syscall.CLONE_NEWNET | syscall.CLONE_NEWPID | syscall.CLONE_NEWIPC

// start starts the first process of a host and connects it.
func (h *Hosts) start(ctx context.Context, m Machine) (*proc.Process, error) {
	if err := m.write(); err != nil {
		return nil, err
	}
	if err := os.Symlink(filepath.Join(m.Binaries, toolsProgram), m.runc()); err != nil {
		return nil, err
	}
	process, err := h.Supervisor.Start(proc.Spec{
		Name: "host@" + m.Name, Kind: "host", Node: m.Name, Log: m.log("host"),
		Path: h.Program, Args: []string{Command, m.file()}, Namespaces: namespaces,
	})
	if err != nil {
		return nil, err
	}
	return process, m.cable(ctx, process.Pid())
}

// bootTimeout bounds the time until a host's Docker answers.
const bootTimeout = time.Minute

func (m Machine) waitDocker(ctx context.Context, process *proc.Process) error {
	ctx, cancel := context.WithTimeout(ctx, bootTimeout)
	defer cancel()
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for {
		err := pingDocker(ctx, process.Pid())
		if err == nil {
			return nil
		}
		select {
		case <-tick.C:
		case <-process.Done():
			return fmt.Errorf("it ended with exit code %d; see %s", process.ExitCode(), m.log("host"))
		case <-ctx.Done():
			return fmt.Errorf("its Docker does not answer within %s: %w; see %s", bootTimeout, err, m.log("dockerd"))
		}
	}
}
