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
	RKE2       bool   // hosts of RKE2, else of rke
	Roots      string // RKE2: the authority of AWS's certificate, as PEM
	Tokens     string // RKE2: the API servers' file of tokens

	alone    *os.File // held until the process ends
	images   loader
	lifetime context.Context // of the lab, because a host outlives the call that boots it
}

// Open prepares this machine until ctx ends: its network, the record of its state, keys and images.
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
	if err := h.writeKeys(ctx); err != nil {
		return err
	}
	h.lifetime = ctx
	h.images, err = h.buildImages(ctx)
	return err
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
	parts, booting := errgroup.WithContext(ctx)
	for _, m := range machines {
		parts.Go(func() error {
			_, err := h.BootOne(booting, m, metadata(m))
			return err
		})
	}
	return parts.Wait()
}

// BootOne starts a machine with its images. It returns when its container runtime answers.
func (h *Hosts) BootOne(ctx context.Context, m Machine, metadata http.Handler) (*Running, error) {
	m.Dir, m.Binaries, m.RKE2, m.Roots = h.Dir, h.Binaries, h.RKE2, h.Roots
	process, err := h.start(ctx, m)
	if err != nil {
		return nil, fmt.Errorf("host %s: %w", m.Name, err)
	}
	r := &Running{machine: m, process: process}
	err = serveMetadata(h.lifetime, process.Pid(), metadata)
	if err == nil {
		err = r.waitReady(ctx)
	}
	if err == nil {
		err = h.images.load(ctx, r)
	}
	if err != nil {
		process.Stop(0)
		return nil, fmt.Errorf("host %s: %w", m.Name, err)
	}
	return r, nil
}

// namespaces are those of a host.
const namespaces = syscall.CLONE_NEWNS | syscall.CLONE_NEWUTS | syscall.CLONE_NEWNET | syscall.CLONE_NEWPID | syscall.CLONE_NEWIPC

// start starts the first process of a host and connects it.
func (h *Hosts) start(ctx context.Context, m Machine) (*proc.Process, error) {
	if err := m.write(); err != nil {
		return nil, err
	}
	for link, program := range map[string]string{m.runc(): toolsProgram, m.kubelet(): kubeletProgram} {
		if err := os.Symlink(filepath.Join(m.Binaries, program), link); err != nil {
			return nil, err
		}
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
