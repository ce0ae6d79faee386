package app

import (
	"bytes"
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	clocktesting "k8s.io/utils/clock/testing"

	"github.com/awsmigrate/awsmigrate/internal/cli/console"
)

func TestNoteConnecting(t *testing.T) {
	for name, tt := range map[string]struct {
		terminal, answers bool
		after             time.Duration
		want              string // with the server's address in place of ADDRESS
	}{
		"silentServer/named":         {terminal: true, after: connectingDelay, want: "connecting to ADDRESS\n"},
		"silentServer/notYet":        {terminal: true, after: connectingDelay - 1},
		"silentServer/noTerminal":    {after: connectingDelay},
		"answeringServer/notNamed":   {terminal: true, answers: true, after: connectingDelay},
		"answeringServer/noTerminal": {answers: true, after: connectingDelay},
	} {
		t.Run(name, func(t *testing.T) {
			asked, release := make(chan struct{}), make(chan struct{})
			server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
				if !tt.answers {
					close(asked)
					<-release
				}
			}))
			defer server.Close()
			var errs bytes.Buffer
			clk := clocktesting.NewFakeClock(time.Now())
			a := &App{Streams: console.Streams{Err: &errs, ErrTerminal: tt.terminal}}
			ctx := a.NoteConnecting(t.Context(), clk)
			done := make(chan error, 1)
			go func() { done <- get(ctx, server.URL) }()
			if tt.answers {
				if err := <-done; err != nil {
					t.Fatal(err)
				}
			} else {
				<-asked
			}
			clk.Step(tt.after) // calls what is due before it returns
			if want := strings.ReplaceAll(tt.want, "ADDRESS", strings.TrimPrefix(server.URL, "http://")); errs.String() != want {
				t.Errorf("%q, want %q", errs.String(), want)
			}
			close(release)
			if !tt.answers {
				if err := <-done; err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

func get(ctx context.Context, url string) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, http.NoBody)
	if err != nil {
		return err
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	return answer.Body.Close()
}
