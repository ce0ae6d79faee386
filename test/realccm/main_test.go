//go:build realccm

package realccm_test

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"testing"

	"github.com/awsmigrate/awsmigrate/test/realccm"
)

func TestMain(m *testing.M) {
	if err := realccm.Missing(); err != nil {
		fmt.Fprintln(os.Stderr, "real cloud controller managers cannot run here:\n"+err.Error())
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code, isolated, err := realccm.Isolate(ctx)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "isolating the network:", err)
		code = max(code, 1)
	}
	if isolated && err == nil {
		code = m.Run()
	}
	os.Exit(code)
}
