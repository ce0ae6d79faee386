package controller

import (
	"context"
	"strings"

	"github.com/awsmigrate/awsmigrate/internal/session"
	"github.com/awsmigrate/awsmigrate/internal/session/recording"
)

// runRecorded starts a run whose record is stored next to its journal, because a pod's files do not
// survive. If the record cannot be stored, the log has a warning and the run continues.
func (c *Controller) runRecorded(ctx context.Context, key Key, to session.Target, options session.Options) (session.Result, error) {
	log := c.log(key)
	kept, err := recording.Open(recording.Options{Store: true, Command: options.Command, Version: c.o.Version, By: c.o.Actor.User + "@" + c.o.Actor.Host,
		Clock: c.o.Clock, Timeout: c.o.RequestTimeout, Say: func(text string) { log.Info(text) }})
	if err != nil {
		return session.Result{}, err
	}
	defer func() {
		if lacks := kept.Refused(); len(lacks) > 0 {
			log.Warn("the record of the run lacks what these credentials may not watch", "lacks", strings.Join(lacks, ", "))
		}
		if failed := kept.Kept().Err; failed != nil {
			log.Warn("the record of the run is not stored next to its journal", "error", failed.Error())
		}
		if failed := kept.Close(); failed != nil {
			log.Warn("the record of the run is not ended", "error", failed.Error())
		}
	}()
	options.Recording = kept
	return c.o.Engine.Run(ctx, to, options)
}
