// Package rolling judges the processes of control planes over several readings during a
// rollout. It finds processes that cannot start, and old ones that may still run. It holds no
// state itself: each function takes the previous state and returns the next one.
package rolling
