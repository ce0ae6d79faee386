package aws

import (
	"context"
	"errors"
	"fmt"
	"slices"

	awssdk "github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2/types"
	"golang.org/x/sync/errgroup"
)

const (
	// batch is EC2's limit of values in one call's filters. Asking by filter and
	// not by id lets one missing instance be missing, instead of failing the call.
	batch    = 200
	pageSize = 1000
	parallel = 4 // requests at a time, in one region
)

// eachPage asks until no further page is told of. A token that comes twice is an
// error: what lies behind it was not seen.
func eachPage(ctx context.Context, what string, ask func(token *string) (next *string, err error)) error {
	seen := map[string]bool{}
	var token *string
	for {
		next, err := ask(token)
		if err != nil && ctx.Err() != nil {
			err = fmt.Errorf("%w (%w)", err, context.Cause(ctx))
		}
		if err != nil {
			return fmt.Errorf("describing %s: %w", what, err)
		}
		if awssdk.ToString(next) == "" {
			return nil
		}
		if seen[*next] {
			return fmt.Errorf("describing %s: %w", what, errRepeats)
		}
		seen[*next], token = true, next
	}
}

var errRepeats = errors.New("AWS gave the same page token twice, what comes after it was not seen")

// errNameless is an answer that does not name what it is about.
var errNameless = errors.New("the answer does not say which resource it describes")

func inBatches(ctx context.Context, ids []string, ask func(context.Context, []string) error) error {
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(parallel)
	for chunk := range slices.Chunk(ids, batch) {
		g.Go(func() error { return ask(ctx, chunk) })
	}
	return g.Wait()
}

func filter(name string, values ...string) []types.Filter {
	return []types.Filter{{Name: awssdk.String(name), Values: values}}
}
