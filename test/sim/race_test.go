//go:build race

package sim

// raceDetector makes each run some eight times as long, so fewer are made.
const raceDetector = true
