//go:build race

package sim

// raceDetector makes every run some eight times as long: fewer of them are made.
const raceDetector = true
