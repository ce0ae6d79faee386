package record

// Machine is a machine as Rancher knows it, when something of this changed. It says which
// Node a host name is of: the operating system's, which Rancher makes of the name of the
// infrastructure object, and which the Node need not have anywhere.
type Machine struct {
	Name           string `json:"name"`                     // of the Machine of Cluster API
	Infrastructure string `json:"infrastructure,omitempty"` // name of the object that its spec refers to
	Node           string `json:"node,omitempty"`           // name of the Node that its status refers to
}
