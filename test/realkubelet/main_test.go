//go:build realkubelet

package realkubelet_test

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"testing"

	"github.com/awsmigrate/awsmigrate/test/realkubelet"
)

func TestMain(m *testing.M) {
	if err := realkubelet.Missing(); err != nil {
		fmt.Fprintln(os.Stderr, "a real kubelet cannot run here:\n"+err.Error())
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code, isolated, err := realkubelet.Isolate(ctx)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "keeping the machine of a real kubelet apart:", err)
		code = max(code, 1)
	}
	if isolated && err == nil {
		code = m.Run()
	}
	os.Exit(code)
}
