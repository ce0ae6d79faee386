package election

// Found is what going through everything came to.
type Found struct {
	States int
	// Beside is the longest time for which two candidates have run at once, in seconds.
	Beside int
	// Fenced are the states in which a fence is in the lease; Taken those in which the one
	// that waited leads after one.
	Fenced, Taken int
}

// Explore goes through every state that a world can come to.
func Explore(w World) Found {
	begin := w.begin()
	seen, queue, next := map[State]struct{}{begin: {}}, []State{begin}, []State(nil)
	var found Found
	for len(queue) > 0 {
		s := queue[len(queue)-1]
		queue = queue[:len(queue)-1]
		found.count(s)
		next = w.next(s, next[:0])
		for _, n := range next {
			if _, known := seen[n]; !known {
				seen[n] = struct{}{}
				queue = append(queue, n)
			}
		}
	}
	found.States = len(seen)
	return found
}

func (f *Found) count(s State) {
	f.Beside = max(f.Beside, int(s.beside))
	if s.lease.holder >= Fences {
		f.Fenced++
	}
	if t := s.tools[0]; (t.done || t.fenced) && s.lease.holder == Second && s.all[1].mode == leading {
		f.Taken++
	}
}
