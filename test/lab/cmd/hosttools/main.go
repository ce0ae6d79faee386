// Command hosttools is every program in the images of a lab with real machines that is neither
// Kubernetes nor a package of the system. The name by which it is started selects one.
//
// The programs of rancher/rke-tools follow rancher/rke@v1.5.9, which calls them (pki/deploy.go,
// cluster/file-deployer.go, cluster/network.go, services/etcd.go), and the entrypoint of
// rke-tools v0.1.96. rke-tools' own were not run.
package main

import (
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
)

func main() {
	programs := map[string]func(args []string) error{
		"entrypoint.sh": entrypoint,
		"cert-deployer": func([]string) error { return deployCertificates(os.Environ(), certificates) },
		"nginx-proxy":   func([]string) error { return proxyAPI(os.Getenv("CP_HOSTS")) },
		"nc":            netcat,
		"runc":          runc,
		"pause":         pause,
	}
	name := filepath.Base(os.Args[0])
	run, ok := programs[name]
	if !ok {
		fmt.Fprintf(os.Stderr, "hosttools: no program %q\n", name)
		os.Exit(2)
	}
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintf(os.Stderr, "%s: %v\n", name, err)
		os.Exit(1)
	}
}

// pause waits for a signal.
func pause([]string) error {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGINT, syscall.SIGTERM)
	<-signals
	return nil
}
