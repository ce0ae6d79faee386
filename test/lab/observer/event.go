// Package observer reports from outside which process ran which cloud controller and when:
// every overlap and every gap.
//
// It shares no code with awsmigrate and reads none of its records. Its evidence is what the
// components logged, the starts and exits that the lab's supervisor recorded, and the calls
// that the AWS stand-in received. A controller counts as running from its component's own start
// line to the exit of the process, regardless of the leases: a frozen process has not exited,
// and continues when it is thawed.
//
// It does not observe whether a running controller did anything. A process that holds a lease
// with an empty set of controllers is a gap here, as it should be.
package observer

import "time"

// The controllers that move from kube-controller-manager to the cloud controller
// manager, by the name kube-controller-manager 1.26 gives them.
const (
	Service   = "service"
	Route     = "route"
	Lifecycle = "cloud-node-lifecycle"
)

// Controllers returns the observed controllers.
func Controllers() []string { return []string{Service, Route, Lifecycle} }

// controllerOf maps the name in a start line to a controller. cloud-provider v0.28.0 introduced
// new names (kubernetes/cloud-provider@v0.28.0:names/controller_names.go).
func controllerOf(name string) (string, bool) {
	switch name {
	case "service", "service-lb-controller":
		return Service, true
	case "route", "node-route-controller":
		return Route, true
	case "cloud-node-lifecycle", "cloud-node-lifecycle-controller":
		return Lifecycle, true
	}
	return "", false
}

// Process is one run of a program: a restart is another Process.
type Process struct {
	Name string `json:"name"` // e.g. "kube-controller-manager@demo-cp-0"
	Kind string `json:"kind"`
	Node string `json:"node"`
	PID  int    `json:"pid"`
}

// EventKind is the kind of an Event.
type EventKind int

// The kinds of Event.
const (
	ProcessStarted EventKind = iota
	ProcessExited
	ControllerStarted
	ControllerDeclined // the process reports that it is configured not to run it
	AWSCall
)

// Event is one event of a process.
type Event struct {
	Time       time.Time
	Kind       EventKind
	Process    Process // of an AWSCall only the Name is known
	Controller string  // the started, declined or calling controller
	Detail     string  // AWSCall: "elasticloadbalancing:CreateLoadBalancer"
}
