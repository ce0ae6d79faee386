// Package lbchecks compares the Services of type LoadBalancer with the load balancers in AWS.
package lbchecks
