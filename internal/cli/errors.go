package cli

import "github.com/awsmigrate/awsmigrate/pkg/fault"

// usage makes a usage error of what cobra or a flag said.
func usage(err error) error {
	if err == nil {
		return nil
	}
	if _, ok := fault.As(err); ok {
		return err
	}
	return &fault.Error{Class: fault.Usage, Reason: "Usage", Seen: err.Error()}
}
