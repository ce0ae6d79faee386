package record

// Machine is a change of a machine as Rancher knows it. It maps a host name to its Node: Rancher
// derives the operating system's host name from the infrastructure object, and the Node need not
// show it.
type Machine struct {
	Name           string `json:"name"`                     // of Cluster API's Machine
	Infrastructure string `json:"infrastructure,omitempty"` // name of the object that its spec refers to
	Node           string `json:"node,omitempty"`           // name of the Node that its status refers to
}
