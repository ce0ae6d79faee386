package election

// Found is the result of an exploration.
type Found struct {
	States int
	// MaxOverlap is the longest time for which two candidates ran at once, in seconds.
	MaxOverlap int
	// Fenced counts the states with a fence in the lease. Taken counts those in which the waiting
	// candidate leads after a fence.
	Fenced, Taken int
}

// Explore visits every reachable state of a world.
func Explore(w World) Found {
	start := w.start()
	visited, queue, following := map[State]struct{}{start: {}}, []State{start}, []State(nil)
	var found Found
	for len(queue) > 0 {
		s := queue[len(queue)-1]
		queue = queue[:len(queue)-1]
		found.count(s)
		following = w.appendNext(s, following[:0])
		for _, n := range following {
			if _, known := visited[n]; !known {
				visited[n] = struct{}{}
				queue = append(queue, n)
			}
		}
	}
	found.States = len(visited)
	return found
}

func (f *Found) count(s State) {
	f.MaxOverlap = max(f.MaxOverlap, int(s.overlap))
	if s.lease.holder >= Fences {
		f.Fenced++
	}
	if t := s.tools[0]; (t.done || t.fenced) && s.lease.holder == Second && s.all[1].mode == leading {
		f.Taken++
	}
}
