package session

import (
	"os"

	"github.com/awsmigrate/awsmigrate/pkg/runner/lock"
)

// owner says for other runs who holds the lock, and lets those on the same
// machine see whether it still lives.
func (o Options) owner(processes lock.Processes) lock.Owner {
	who := lock.Owner{PID: os.Getpid(), Run: o.RunID, Start: o.clock().Now(), User: o.Actor.User, Host: o.Actor.Host, Pod: o.Actor.Pod}
	who.Place, who.Tick = processes.Self()
	return who
}
