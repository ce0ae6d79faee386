package session

import (
	"os"

	"github.com/awsmigrate/awsmigrate/pkg/runner/lock"
)

// owner returns the identity that the lock shows to other runs. Runs on the same machine can
// check whether its process lives.
func (o Options) owner(processes lock.Processes) lock.Owner {
	who := lock.Owner{PID: os.Getpid(), Run: o.RunID, Start: o.clock().Now(), User: o.Actor.User, Host: o.Actor.Host, Pod: o.Actor.Pod}
	who.Place, who.Tick = processes.Self()
	return who
}
