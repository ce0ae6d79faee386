package journal

import (
	"testing"

	"github.com/awsmigrate/awsmigrate/internal/testing/faulty"
)

func TestReadFault_expiredCredentials_isUnauthorized(t *testing.T) {
	faulty.WantExpiredApart(t, func(err error) error { return readFault("ConfigMap x", err) })
}
