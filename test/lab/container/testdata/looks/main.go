// Command looks reports its environment in a container, and then ends or stays.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"
)

func main() {
	fmt.Println("user", os.Getuid(), "group", os.Getgid())
	fmt.Println("root", names("/"))
	fmt.Println("limit", os.Getenv("LIMIT"), "server", os.Getenv("KUBERNETES_SERVICE_HOST"), "outside", os.Getenv("PATH"))
	token, err := os.ReadFile("/var/run/secrets/kubernetes.io/serviceaccount/token")
	fmt.Println("token", len(token) > 0, err)
	for _, path := range []string{"/new", "/var/run/secrets/kubernetes.io/serviceaccount/new"} {
		fmt.Println("write", os.WriteFile(path, nil, 0o600))
	}
	_, err = os.Stat("/dev/null")
	fmt.Println("device", err)
	status, _ := os.ReadFile("/proc/self/status")
	for line := range strings.Lines(string(status)) {
		switch name, value, _ := strings.Cut(line, ":"); name {
		case "CapEff", "CapBnd", "NoNewPrivs", "Groups":
			fmt.Println(strings.TrimSpace(name + " " + strings.TrimSpace(value)))
		}
	}
	switch os.Args[1] {
	case "fail":
		os.Exit(3)
	case "stay":
		ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
		<-ctx.Done()
		stop()
	}
}

func names(dir string) (out []string) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return []string{err.Error()}
	}
	for _, e := range entries {
		out = append(out, e.Name())
	}
	return out
}
