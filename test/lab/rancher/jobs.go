package rancher

import (
	"context"
	"errors"
)

// errRunning means that started work has not ended yet.
var errRunning = errors.New("still running")

// job is one piece of work that may take longer than a controller's pass.
type job struct {
	done bool
	err  error
}

// background starts work once and returns errRunning until it has ended, then its result. After
// a failure the next call starts it again.
func (r *Rancher) background(ctx context.Context, key string, work func(context.Context) error) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if j, ok := r.inFlight[key]; ok {
		if !j.done {
			return errRunning
		}
		delete(r.inFlight, key)
		return j.err
	}
	j := &job{}
	r.inFlight[key] = j
	go func() {
		err := work(ctx)
		r.mu.Lock()
		defer r.mu.Unlock()
		j.done, j.err = true, err
	}()
	return errRunning
}
