package record

import "time"

// Renewal is one of a kubelet, of the lease of its Node. It says that the kubelet ran and
// reached an API server, and so when whatever stood unseen behind a new pod was gone.
type Renewal struct {
	Node  string    `json:"node"`
	Renew time.Time `json:"renew"`          // kubelet's clock
	Since time.Time `json:"since,omitzero"` // when the last read was sent that did not have it yet: it was written afterwards; zero: nobody had read before
}
