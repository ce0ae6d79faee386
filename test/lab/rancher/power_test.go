package rancher

import (
	"context"
	"errors"
	"testing"
)

// TestPower switches the power off and on, before a run and during one.
func TestPower(t *testing.T) {
	ctx, end := context.WithCancel(t.Context())
	var p power
	p.off()
	p.off() // twice is once
	began, result := make(chan struct{}), make(chan error, 1)
	running := 0
	go func() {
		result <- p.run(ctx, func(ctx context.Context) error {
			running++
			began <- struct{}{}
			<-ctx.Done()
			running--
			return nil
		})
	}()
	select {
	case <-began:
		t.Fatal("it runs though it is off")
	default:
	}
	for range 2 {
		p.on()
		p.on()
		<-began
		p.off()
		if running != 0 {
			t.Fatal("off came back before all had ended")
		}
	}
	p.on()
	<-began
	end()
	if err := <-result; err != nil {
		t.Error(err)
	}
}

// TestPowerEndsWithAnError checks that a failed run is not retried.
func TestPowerEndsWithAnError(t *testing.T) {
	var p power
	broken := errors.New("broken")
	if err := p.run(t.Context(), func(context.Context) error { return broken }); !errors.Is(err, broken) {
		t.Error(err)
	}
}
