package session

import (
	"net/http"
	"time"

	"k8s.io/client-go/rest"
	"k8s.io/utils/clock"

	"github.com/awsmigrate/awsmigrate/pkg/kube"
)

// Access limits what requests to the API servers may do.
type Access int

const (
	// ReadOnly refuses every write except access reviews and dry runs. The transport enforces
	// it for all callers.
	ReadOnly Access = iota
	// ReadWrite allows every request.
	ReadWrite
)

// serverDialer holds the settings of connections to API servers.
type serverDialer struct {
	timeout time.Duration // limit of one request
	may     Access
	clock   clock.Clock
}

// LookOnly returns a read-only configuration of a server, for callers that read Rancher's
// objects and open no target. Each request is limited by timeout.
func LookOnly(s Server, timeout time.Duration) (*rest.Config, error) {
	if err := (Target{RequestTimeout: timeout}).check(); err != nil {
		return nil, err
	}
	return serverDialer{timeout: timeout, may: ReadOnly}.config(s)
}

// config returns the tuned configuration of a server.
func (r serverDialer) config(s Server) (*rest.Config, error) {
	config, err := s.config()
	if err != nil {
		return nil, err
	}
	r.tune(config)
	return config, nil
}

// tune sets a request timeout, a name for audit logs, and for read-only commands a transport
// that cannot write.
func (r serverDialer) tune(config *rest.Config) {
	config.Timeout = r.timeout
	config.UserAgent = "awsmigrate"
	config.QPS, config.Burst = 50, 100
	config.WarningHandler = rest.NoWarnings{}
	if r.may == ReadOnly {
		config.Wrap(func(next http.RoundTripper) http.RoundTripper { return kube.ReadOnly(next) })
	}
}
