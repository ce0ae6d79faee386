package server

import (
	"testing"

	"github.com/awsmigrate/awsmigrate/internal/testing/apiserver"
)

func TestWithServer(t *testing.T) { apiserver.New(t, apiserver.Options{}) }
