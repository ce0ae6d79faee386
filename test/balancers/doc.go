// Package balancers tries the product's reading of load balancers, and what it concludes from
// them, on the lab's Elastic Load Balancing. A foreign hand is a second client with the rights of
// an administrator.
package balancers
