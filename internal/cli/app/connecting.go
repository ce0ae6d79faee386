package app

import (
	"context"
	"net/http/httptrace"
	"sync"
	"sync/atomic"
	"time"

	"k8s.io/utils/clock"
)

// connectingDelay is the time for the first server's answer before the terminal names the server.
const connectingDelay = time.Second

// NoteConnecting returns a context for requests. If the first request has no answer after
// connectingDelay, its server is named on the terminal, once.
func (a *App) NoteConnecting(ctx context.Context, clk clock.WithDelayedExecution) context.Context {
	if !a.Streams.ErrTerminal {
		return ctx
	}
	var first sync.Once
	var over atomic.Bool
	return httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		GetConn: func(server string) {
			first.Do(func() {
				clk.AfterFunc(connectingDelay, func() {
					if !over.Load() && ctx.Err() == nil {
						a.Say("connecting to " + server)
					}
				})
			})
		},
		ConnectDone: func(_, _ string, err error) {
			if err != nil { // the command says so
				over.Store(true)
			}
		},
		GotFirstResponseByte: func() { over.Store(true) },
	})
}
