package node

import (
	"sync/atomic"
	"time"
)

// downtime is how long components stay away. It can be changed while the machine
// runs: bringing a lab back to its beginning need not wait for anything.
type downtime struct{ apiServer, component atomic.Int64 }

// SetDowntime replaces the configured downtimes from the next restart on.
func (a *Agent) SetDowntime(apiServer, component time.Duration) {
	a.downtime.apiServer.Store(int64(apiServer))
	a.downtime.component.Store(int64(component))
}

func (a *Agent) down(component string) time.Duration {
	if component == KubeAPIServer {
		return time.Duration(a.downtime.apiServer.Load())
	}
	return time.Duration(a.downtime.component.Load())
}
