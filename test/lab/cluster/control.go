package cluster

import (
	"context"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/awsmigrate/awsmigrate/test/lab/aws"
	"github.com/awsmigrate/awsmigrate/test/lab/docker"
	"github.com/awsmigrate/awsmigrate/test/lab/pki"
	"github.com/awsmigrate/awsmigrate/test/lab/proc"
)

// handle is the file by which the lab command finds the supervisor.
type handle struct {
	Addresses
	Distro Distro `json:"distro"`
	PID    int    `json:"pid"`
	Token  string `json:"token"`
	// AWSKey, AWSSecret and AWSSession are the credentials of the AWS principal that runs
	// awsmigrate.
	AWSKey, AWSSecret, AWSSession string
	Administrator                 accessKey // may change resources in AWS
}

// accessKey holds the credentials with which an AWS principal signs.
type accessKey struct{ ID, Secret, Session string }

func (f Files) handle() string { return f.in("lab.json") }

// Order is a request of the lab command to the supervisor.
type Order struct {
	Target string `json:"target,omitempty"` // process name, kind@machine, machine, or user
	Signal string `json:"signal,omitempty"` // e.g. "STOP"; "" is KILL
	State  string `json:"state,omitempty"`  // of an instance, of Rancher, of the proxy, or of replaced containers
	// Facts of an instance that no EC2 call of the lab changes; a nil one is kept.
	Role           *string `json:"role,omitempty"` // of its profile; "" is no profile
	Zone           *string `json:"zone,omitempty"`
	PrivateDNSName *string `json:"privateDNSName,omitempty"`
}

// startControl serves the lab command.
func (l *Lab) startControl(stop func()) func(context.Context, *errgroup.Group) error {
	return func(ctx context.Context, parts *errgroup.Group) error {
		l.state.set(PhaseBooting, "API servers", time.Now())
		h := handle{Addresses: l.addr, Distro: l.options.Distro, PID: os.Getpid(), Token: pki.Token()}
		h.AWSKey, h.AWSSecret, h.AWSSession = l.cloud.Credentials(aws.RoleOperator)
		h.Administrator.ID, h.Administrator.Secret, h.Administrator.Session = l.cloud.Credentials(aws.RoleAdministrator)
		mux := http.NewServeMux()
		mux.HandleFunc("GET /status", func(w http.ResponseWriter, r *http.Request) {
			ctx, cancel := context.WithTimeout(r.Context(), 5*time.Second)
			defer cancel()
			reply(w, l.status(ctx), nil)
		})
		for path, do := range map[string]func(context.Context, Order) (string, error){
			"POST /kill": l.kill, "POST /instance": l.setInstance, "POST /facts": l.setFacts, "POST /rancher": l.setRancher, "POST /reset": l.reset,
			"POST /containers": l.setContainers, "POST /proxy": l.setProxy, "POST /login": l.login, "POST /revoke": l.revoke,
		} {
			mux.HandleFunc(path, func(w http.ResponseWriter, r *http.Request) {
				if l.options.Real && path != "POST /kill" {
					reply(w, nil, errors.New("a lab with real machines knows only kill, status, observe and down"))
					return
				}
				var order Order
				if err := json.NewDecoder(r.Body).Decode(&order); err != nil {
					reply(w, nil, err)
					return
				}
				done, err := do(r.Context(), order)
				reply(w, done, err)
			})
		}
		mux.HandleFunc("POST /stop", func(w http.ResponseWriter, _ *http.Request) {
			reply(w, "stopping", nil)
			stop()
		})
		if err := serveHTTP(ctx, parts, l.addr.Control(), l.withHosts(requireToken(h.Token, mux))); err != nil {
			return err
		}
		return writeHandle(l.files, h)
	}
}

// withHosts adds the calls that replace SSH for rke, which have a key of their own.
func (l *Lab) withHosts(next http.Handler) http.Handler {
	mux := http.NewServeMux()
	mux.Handle("/", next)
	mux.Handle("/hosts/", docker.Handler(docker.Key{Token: l.secrets.ssh}, l.dockerAt))
	return mux
}

func writeHandle(f Files, h handle) error {
	raw, err := json.Marshal(h)
	if err != nil {
		return err
	}
	temporary := f.handle() + ".new"
	if err := os.WriteFile(temporary, raw, 0o600); err != nil {
		return err
	}
	return os.Rename(temporary, f.handle())
}

func requireToken(token string, next http.Handler) http.Handler {
	want := []byte("Bearer " + token)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if subtle.ConstantTimeCompare([]byte(r.Header.Get("Authorization")), want) != 1 {
			http.Error(w, "not this lab's token", http.StatusForbidden)
			return
		}
		next.ServeHTTP(w, r)
	})
}

func reply(w http.ResponseWriter, answer any, err error) {
	if err != nil {
		http.Error(w, err.Error(), http.StatusUnprocessableEntity)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(answer) // a disconnected client is no error of the lab
}

// kill signals one process. A component of a machine is signalled through the machine's agent,
// so that its restart waits for its downtime.
func (l *Lab) kill(_ context.Context, order Order) (string, error) {
	sig, err := signalNamed(order.Signal)
	if err != nil {
		return "", err
	}
	if kind, name, ok := strings.Cut(order.Target, "@"); ok && l.machines != nil {
		if m, err := l.machines.find(name); err == nil && m.agent != nil && m.agent.Signal(kind, sig) == nil {
			return fmt.Sprintf("sent %v to %s on %s", sig, kind, m.Name), nil
		}
	}
	p, err := l.process(order.Target)
	if err != nil {
		return "", err
	}
	if err := p.Signal(sig); err != nil {
		return "", err
	}
	return fmt.Sprintf("sent %v to %s (pid %d)", sig, p.Spec.Name, p.Pid()), nil
}

// process finds a process by its name, or by kind@machine.
func (l *Lab) process(target string) (*proc.Process, error) {
	kind, machine, at := strings.Cut(target, "@")
	var found []*proc.Process
	var names []string
	for _, p := range l.supervisor.Processes() {
		if p.Spec.Name == target {
			return p, nil
		}
		if at && p.Spec.Kind == kind && strings.Contains(p.Spec.Node, machine) {
			found = append(found, p)
		}
		names = append(names, p.Spec.Name)
	}
	if len(found) != 1 {
		return nil, fmt.Errorf("%d processes match %q; these run: %s", len(found), target, strings.Join(names, ", "))
	}
	return found[0], nil
}

func signalNamed(name string) (syscall.Signal, error) {
	switch strings.TrimPrefix(strings.ToUpper(name), "SIG") {
	case "", "KILL", "9":
		return syscall.SIGKILL, nil
	case "TERM", "15":
		return syscall.SIGTERM, nil
	case "INT", "2":
		return syscall.SIGINT, nil
	case "STOP", "19":
		return syscall.SIGSTOP, nil
	case "CONT", "18":
		return syscall.SIGCONT, nil
	}
	return 0, fmt.Errorf("signal %q is none of KILL, TERM, INT, STOP, CONT", name)
}

// setInstance stops, starts or terminates a machine's EC2 instance, and switches the machine's
// power accordingly.
func (l *Lab) setInstance(_ context.Context, order Order) (string, error) {
	if l.machines == nil {
		return "", errors.New("the lab has no machines yet")
	}
	m, err := l.machines.find(order.Target)
	if err != nil {
		return "", err
	}
	if err := l.cloud.SetInstanceState(m.Instance, order.State); err != nil {
		return "", err
	}
	switch order.State {
	case aws.StateRunning:
		m.agent.PowerOn()
	case aws.StateTerminated:
		m.agent.PowerOff()
	default:
		m.agent.Shutdown()
	}
	return fmt.Sprintf("instance %s of %s is %s", m.Instance, m.Name, order.State), nil
}

// setContainers selects whether replaced containers of a machine end or run on.
func (l *Lab) setContainers(_ context.Context, order Order) (string, error) {
	if l.machines == nil {
		return "", errors.New("the lab has no machines yet")
	}
	m, err := l.machines.find(order.Target)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("containers of %s that are replaced: %s", m.Name, order.State), m.agent.SetContainers(order.State)
}

// The states of Rancher.
const (
	RancherStopped = "stopped"
	RancherRunning = "running"
)

// setRancher stops or starts Rancher.
func (l *Lab) setRancher(_ context.Context, order Order) (string, error) {
	switch {
	case l.rancher == nil:
		return "", errors.New("the lab has no Rancher, or not yet")
	case order.State == RancherStopped:
		l.rancher.Stop()
	case order.State == RancherRunning:
		l.rancher.Start()
	default:
		return "", fmt.Errorf("state %q is neither %s nor %s", order.State, RancherStopped, RancherRunning)
	}
	return "Rancher is " + order.State, nil
}

// setFacts changes a machine's instance in EC2. The machine itself is unchanged.
func (l *Lab) setFacts(_ context.Context, order Order) (string, error) {
	if l.machines == nil {
		return "", errors.New("the lab has no machines yet")
	}
	m, err := l.machines.find(order.Target)
	if err != nil {
		return "", err
	}
	err = l.cloud.UpdateInstance(m.Instance, func(i *aws.Instance) {
		for field, value := range map[*string]*string{&i.Role: order.Role, &i.Zone: order.Zone, &i.PrivateDNSName: order.PrivateDNSName} {
			if value != nil {
				*field = *value
			}
		}
	})
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("instance %s of %s was changed", m.Instance, m.Name), nil
}
