package evidence

// MachineTemplate describes the next machine of a Rancher machine pool of the EC2 node driver. It
// holds no user data: that may contain secrets.
type MachineTemplate struct {
	Pool         string `json:"pool"`
	Object       string `json:"object"` // "Amazonec2Config fleet-default/nc-demo-workers"
	ControlPlane bool   `json:"controlPlane,omitempty"`
	Windows      bool   `json:"windows,omitempty"`
	// Unread is why the object could not be read, or empty. The fields below are then empty.
	Unread string `json:"unread,omitempty"`

	Tokens   string   `json:"tokens,omitempty"`   // httpTokens: "optional", "required", or empty
	Endpoint string   `json:"endpoint,omitempty"` // httpEndpoint: "enabled", "disabled", or empty
	Profile  bool     `json:"profile,omitempty"`  // has an instance profile
	VPC      string   `json:"vpc,omitempty"`
	Clusters []string `json:"clusters,omitempty"` // IDs in the tags that the instance gets
	// RefusedTags is why EC2 refuses the tags, and with them the machine, or empty.
	RefusedTags string   `json:"refusedTags,omitempty"`
	Host        HostName `json:"host,omitzero"`
}

// HostName describes the host name that user data gives to a machine. The zero value is the name
// of the machine.
type HostName struct {
	Fixed   string `json:"fixed,omitempty"`   // the same for every machine of the pool
	Unknown bool   `json:"unknown,omitempty"` // user data may set another one
	Refused bool   `json:"refused,omitempty"` // Rancher creates no machine with this user data
}
