package app

import (
	"bytes"
	"strings"
	"testing"

	"github.com/awsmigrate/awsmigrate/internal/cli/console"
	"github.com/awsmigrate/awsmigrate/pkg/fault"
)

func TestConfirm(t *testing.T) {
	closed := make(chan struct{})
	close(closed)
	for name, tt := range map[string]struct {
		typed       string
		yes, piped  bool
		interrupted chan struct{}
		class       fault.Class // 0: confirmed
		asks        bool
	}{
		"yes":         {typed: "yes\n", asks: true},
		"no":          {typed: "no\n", class: fault.Declined, asks: true},
		"end":         {class: fault.Declined, asks: true},
		"flag":        {yes: true, piped: true},
		"no terminal": {typed: "yes\n", piped: true, class: fault.Declined},
		"interrupt":   {interrupted: closed, class: fault.Interrupted, asks: true},
	} {
		var errs bytes.Buffer
		a := &App{Streams: console.Streams{In: strings.NewReader(tt.typed), InTerminal: !tt.piped, Err: &errs}, Signals: &Signals{HangUps: make(chan struct{})}, Interrupts: tt.interrupted}
		if tt.interrupted != nil {
			a.Streams.In = blocked{t.Context().Done()}
		}
		err := a.Confirm(tt.yes, Confirmation{Object: "the list", Question: "Approve it?"})
		if (err == nil) != (tt.class == 0) || err != nil && fault.ClassOf(err) != tt.class {
			t.Errorf("%s: %v", name, err)
		}
		if asks := strings.Contains(errs.String(), `Approve it? Only "yes" is accepted: `); asks != tt.asks {
			t.Errorf("%s: %q", name, errs.String())
		}
	}
}

// blocked is an input in which nothing is typed until a test ends.
type blocked struct{ over <-chan struct{} }

func (b blocked) Read([]byte) (int, error) {
	<-b.over
	return 0, nil
}
