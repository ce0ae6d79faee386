package controller

import (
	"context"
	"strings"

	"github.com/awsmigrate/awsmigrate/internal/session"
	"github.com/awsmigrate/awsmigrate/internal/session/recording"
)

// recorded is a run whose record is kept beside its journal: no other place outlives a pod.
// A record that cannot be kept is a line in the log, and the run goes on.
func (c *Controller) recorded(ctx context.Context, key Key, to session.Target, options session.Options) (session.Result, error) {
	log := c.log(key)
	kept, err := recording.Open(recording.Options{Beside: true, Command: options.Command, Version: c.o.Version, By: c.o.Actor.User + "@" + c.o.Actor.Host,
		Clock: c.o.Clock, Timeout: c.o.RequestTimeout, Say: func(text string) { log.Info(text) }})
	if err != nil {
		return session.Result{}, err
	}
	defer func() {
		if lacks := kept.Refused(); len(lacks) > 0 {
			log.Warn("the record of the run lacks what these credentials may not watch", "lacks", strings.Join(lacks, ", "))
		}
		if failed := kept.Kept().Err; failed != nil {
			log.Warn("the record of the run is not kept beside its journal", "error", failed.Error())
		}
		if failed := kept.Close(); failed != nil {
			log.Warn("the record of the run is not ended", "error", failed.Error())
		}
	}()
	options.Recording = kept
	return c.o.Engine.Run(ctx, to, options)
}
