package controller

import "runtime/metrics"

// inUse is what this process holds of its memory, as the limit of the runtime counts it:
// what was given back to the system is not among it.
func inUse() uint64 {
	samples := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
	metrics.Read(samples)
	return samples[0].Value.Uint64() - samples[1].Value.Uint64()
}

// tight says whether no run should begin for want of memory: one that is killed leaves a
// cluster half way, and takes the guards of all others along.
func (o Options) tight(used uint64) bool {
	return o.Memory > 0 && used >= uint64(o.Memory)/10*9
}
