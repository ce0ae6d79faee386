package cli

import (
	"context"
	"errors"
	"slices"

	"github.com/awsmigrate/awsmigrate/internal/access"
	"github.com/awsmigrate/awsmigrate/internal/access/ask"
	"github.com/awsmigrate/awsmigrate/internal/cli/app"
	"github.com/awsmigrate/awsmigrate/internal/cli/view"
	"github.com/awsmigrate/awsmigrate/internal/cli/view/verifyview"
	"github.com/awsmigrate/awsmigrate/pkg/fault"
)

// printAccess runs `verify --access`: it prints which permissions these credentials lack.
func (f *verifyFlags) printAccess(ctx context.Context, a *app.App) error {
	if err := a.CheckOutput(verifyview.AccessFormats()...); err != nil {
		return err
	}
	format := a.Output
	if slices.Contains(verifyview.AccessPieces(), format) {
		a.Output = "text" // errors are for people; standard output holds the manifest
	}
	if err := f.checkAccess(); err != nil {
		return err
	}
	options, err := f.audited.Options(true)
	if err != nil {
		return err
	}
	question, err := f.audited.Access(access.Purpose(f.Access), options.Options)
	if err != nil {
		return err
	}
	ctx, stop := a.UntilInterrupted(ctx)
	defer stop()
	doc, err := verifyview.NewAccess(ask.All(ctx, question))
	if err == nil {
		err = ctx.Err() // the remaining questions were not asked
	}
	if err != nil {
		return err
	}
	if err := verifyview.WriteAccess(a.Streams, format, a.CommandLine(), doc); err != nil {
		return err
	}
	if format != a.Output {
		return doc.Outcome()
	}
	return view.Shown(doc.Outcome())
}

// checkAccess refuses flags that have no meaning without checks.
func (f *verifyFlags) checkAccess() error {
	switch {
	case f.Preflight:
		return fault.AsUsage(errors.New("flag --preflight: with --access, wanted --access=run, which asks for what a preflight needs, too"))
	case f.From != "", f.Dump != "", f.Watch != 0:
		return fault.AsUsage(errors.New("flag --access: with --from, --dump or --watch, wanted without: it reads no cluster"))
	}
	return nil
}
