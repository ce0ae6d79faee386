// Package runlog reads the JSON log lines of a controller, picks those of one cluster, and
// makes lines for people of them. It reads text from anywhere, or the logs of pods; it
// writes to no cluster and knows of a run only what its lines say.
//
// internal/controller writes the lines: their fields have its names.
package runlog
