package session

import (
	"net/http"
	"time"

	"k8s.io/client-go/rest"
	"k8s.io/utils/clock"

	"github.com/awsmigrate/awsmigrate/pkg/kube"
)

// Access says what may be done on the API servers.
type Access int

const (
	// ReadOnly refuses every write except access reviews and dry runs, in the
	// transport, whatever the code above it tries.
	ReadOnly Access = iota
	// ReadWrite lets everything through.
	ReadWrite
)

// reach says how API servers are reached.
type reach struct {
	timeout time.Duration // longest time for one request
	may     Access
	clock   clock.Clock
}

// LookOnly is the way to a server for whoever reads Rancher's own objects and opens no
// target: each request is bounded by timeout, and the transport refuses to write.
func LookOnly(s Server, timeout time.Duration) (*rest.Config, error) {
	if err := (Target{RequestTimeout: timeout}).check(); err != nil {
		return nil, err
	}
	return reach{timeout: timeout, may: ReadOnly}.config(s)
}

// config is a server's configuration, tuned.
func (r reach) config(s Server) (*rest.Config, error) {
	config, err := s.config()
	if err != nil {
		return nil, err
	}
	r.tune(config)
	return config, nil
}

// tune sets what every client here needs: a bound on each request, a name in
// audit logs, and for commands that only read a transport that cannot write.
func (r reach) tune(config *rest.Config) {
	config.Timeout = r.timeout
	config.UserAgent = "awsmigrate"
	config.QPS, config.Burst = 50, 100
	config.WarningHandler = rest.NoWarnings{}
	if r.may == ReadOnly {
		config.Wrap(func(next http.RoundTripper) http.RoundTripper { return kube.ReadOnly(next) })
	}
}
