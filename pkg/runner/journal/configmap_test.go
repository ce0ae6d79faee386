package journal

import (
	"testing"

	"github.com/awsmigrate/awsmigrate/internal/testing/faulty"
)

func TestExpiredCredentialsDoNotReadTheJournal(t *testing.T) {
	faulty.WantExpiredApart(t, func(err error) error { return unread("ConfigMap x", err) })
}
