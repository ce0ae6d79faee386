package cluster

import (
	"fmt"
	"net"
)

// Addresses are the addresses of one lab. Labs on one machine differ in their number, the
// second byte of every address.
type Addresses struct {
	Number int `json:"number"`
}

// The numbers a lab may have. 1 is left to other software on loopback, and tests
// with an API server of their own use 251.
const (
	firstNumber = 2
	lastNumber  = 250
)

// firstMachine is the last byte of the first machine's address.
const firstMachine = 10

func (a Addresses) at(last string) string { return fmt.Sprintf("127.%d.%s", a.Number, last) }

// Balanced returns the address of the downstream API, spread over the ready API servers.
func (a Addresses) Balanced() string { return a.at("0.1:6443") }

// Proxy returns the address of Rancher's proxy to the clusters.
func (a Addresses) Proxy() string { return a.at("0.2:8443") }

// Management returns the address of the management cluster's API server.
func (a Addresses) Management() string { return a.at("0.3:6443") }

// EtcdHost returns the address on which etcd binds 2379 and 2380.
func (a Addresses) EtcdHost() string { return a.at("0.4") }

// Webhook returns the address of Rancher's admission webhook.
func (a Addresses) Webhook() string { return a.at("0.5:9443") }

// AWS returns the address of every AWS API.
func (a Addresses) AWS() string { return a.at("0.6:8000") }

// Lock returns the address that is bound while the number is in use.
func (a Addresses) Lock() string { return a.at("0.9:6440") }

// Control returns the address on which the supervisor accepts orders.
func (a Addresses) Control() string { return a.at("0.9:6441") }

// Machine returns the loopback address of machine i, counted from 0.
func (a Addresses) Machine(i int) string { return a.at(fmt.Sprintf("1.%d", firstMachine+i)) }

// maxMachines is the number of machines in one lab's address range.
const maxMachines = 255 - firstMachine

// Claim reserves the first free number, or the given one. It is released when the listener is
// closed or the process ends.
func Claim(number int) (Addresses, net.Listener, error) {
	if number != 0 {
		if number < firstNumber || number > lastNumber {
			return Addresses{}, nil, fmt.Errorf("lab number %d is not between %d and %d", number, firstNumber, lastNumber)
		}
		a := Addresses{Number: number}
		l, err := net.Listen("tcp", a.Lock())
		if err != nil {
			return a, nil, fmt.Errorf("lab number %d is taken: %w", number, err)
		}
		return a, l, nil
	}
	for n := firstNumber; n <= lastNumber; n++ {
		a := Addresses{Number: n}
		if l, err := net.Listen("tcp", a.Lock()); err == nil {
			return a, l, nil
		}
	}
	return Addresses{}, nil, fmt.Errorf("no free lab number between %d and %d", firstNumber, lastNumber)
}
