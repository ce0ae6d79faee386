// Package nextmachine compares the prediction of check AWSM-316 for the next machine of a pool with
// the machine that the lab makes of the pool's template. Both follow the same sources and share no
// code.
package nextmachine
