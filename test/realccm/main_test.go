//go:build realccm

package realccm_test

import (
	"os"
	"testing"

	"github.com/awsmigrate/awsmigrate/test/apart"
	"github.com/awsmigrate/awsmigrate/test/realccm"
)

func TestMain(m *testing.M) {
	os.Exit(apart.Main(m, apart.Trial{What: "real cloud controller managers", Missing: realccm.Missing, Isolate: realccm.Isolate}))
}
