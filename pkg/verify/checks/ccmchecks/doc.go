// Package ccmchecks judges the cloud controller manager: what is in the way of its installation, and
// whether it is complete, placed, allowed and at work.
package ccmchecks
