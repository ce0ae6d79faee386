package controller

import "runtime/metrics"

// inUse returns the memory of this process as the runtime's limit counts it: without memory that
// was returned to the system.
func inUse() uint64 {
	samples := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
	metrics.Read(samples)
	return samples[0].Value.Uint64() - samples[1].Value.Uint64()
}

// tight reports whether memory is too low to begin a run. If the process were killed, it would
// leave a cluster half-way and stop all guards.
func (o Options) tight(used uint64) bool {
	return o.Memory > 0 && used >= uint64(o.Memory)/10*9
}
