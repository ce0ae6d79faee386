package cli

import "errors"

func openBundle(string) (source, error) { return nil, errors.New("not yet") }
func dumpBundle(string, sighting) error { return errors.New("not yet") }
