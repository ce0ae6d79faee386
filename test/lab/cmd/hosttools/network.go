package main

import (
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"time"
)

const dialTimeout = 2 * time.Second

// proxyAPI forwards connections of a worker to the API servers, one after the other in turn. hosts
// is a list separated by commas.
func proxyAPI(hosts string) error {
	if hosts == "" {
		return errors.New("CP_HOSTS names no control plane")
	}
	var servers []string
	for host := range strings.SplitSeq(hosts, ",") {
		servers = append(servers, net.JoinHostPort(host, "6443"))
	}
	listener, err := net.Listen("tcp", "127.0.0.1:6443")
	if err != nil {
		return err
	}
	for n := 0; ; n++ {
		client, err := listener.Accept()
		if err != nil {
			return err
		}
		go forward(client, append(servers[n%len(servers):], servers[:n%len(servers)]...))
	}
}

// forward connects to the first server that answers.
func forward(client net.Conn, servers []string) {
	defer client.Close()
	for _, address := range servers {
		server, err := net.DialTimeout("tcp", address, dialTimeout)
		if err != nil {
			continue
		}
		defer server.Close()
		go func() {
			_, _ = io.Copy(server, client)
			_ = server.(*net.TCPConn).CloseWrite() //nolint:forcetypeassert // dialled as tcp
		}()
		_, _ = io.Copy(client, server)
		return
	}
}

// netcat has the two forms that rke uses in its port checks: `nc -kl -p PORT -e echo` listens, and
// `nc -w 5 -z HOST PORT` connects.
func netcat(args []string) error {
	switch {
	case len(args) >= 3 && args[0] == "-kl":
		listener, err := net.Listen("tcp", ":"+args[2])
		if err != nil {
			return err
		}
		for {
			c, err := listener.Accept()
			if err != nil {
				return err
			}
			c.Close()
		}
	case len(args) >= 2:
		c, err := net.DialTimeout("tcp", net.JoinHostPort(args[len(args)-2], args[len(args)-1]), 5*time.Second)
		if err != nil {
			return err
		}
		return c.Close()
	}
	return fmt.Errorf("arguments %q are neither -kl -p PORT nor -z HOST PORT", args)
}
