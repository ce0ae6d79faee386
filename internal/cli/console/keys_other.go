//go:build !linux && !darwin

package console

import (
	"errors"
	"os"
)

func keysOf(*os.File) (<-chan byte, func(), error) {
	return nil, nil, errors.New("single keys are not read on this system")
}
