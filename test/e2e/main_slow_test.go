//go:build slow

package e2e

import (
	"context"
	"os"
	"testing"

	"github.com/awsmigrate/awsmigrate/test/remedy/tool"
)

// TestMain is aws or helm where a shell has found this binary under that name.
func TestMain(m *testing.M) {
	tool.Main(context.Background())
	os.Exit(m.Run())
}
