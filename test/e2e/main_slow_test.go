//go:build slow

package e2e

import (
	"context"
	"os"
	"testing"

	"github.com/awsmigrate/awsmigrate/test/remedy/tool"
)

// TestMain runs as aws or helm if a shell has found this binary under that name.
func TestMain(m *testing.M) {
	tool.Main(context.Background())
	os.Exit(m.Run())
}
