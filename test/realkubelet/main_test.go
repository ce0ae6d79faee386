//go:build realkubelet

package realkubelet_test

import (
	"os"
	"testing"

	"github.com/awsmigrate/awsmigrate/test/apart"
	"github.com/awsmigrate/awsmigrate/test/realkubelet"
)

func TestMain(m *testing.M) {
	os.Exit(apart.Main(m, apart.Trial{What: "a real kubelet", Missing: realkubelet.Missing, Isolate: realkubelet.Isolate}))
}
