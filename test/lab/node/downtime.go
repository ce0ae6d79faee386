package node

import (
	"sync/atomic"
	"time"
)

// downtime holds the restart times of components. They can change while the machine runs,
// because a reset of the lab need not wait for anything.
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
