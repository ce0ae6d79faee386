package aws

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"strings"
	"sync"

	awsmiddleware "github.com/aws/aws-sdk-go-v2/aws/middleware"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	"github.com/aws/smithy-go/middleware"
)

// calls counts what is sent to AWS, every attempt of it.
type calls struct {
	mu sync.Mutex
	n  map[string]int
	// refused is why the last attempt of an operation in a region came to nothing.
	// The SDK keeps it to itself where time runs out before the next attempt.
	refused map[string]error
}

// options adds the counter behind the retries, so that it sees each of them.
func (c *calls) options() []func(*middleware.Stack) error {
	return []func(*middleware.Stack) error{func(stack *middleware.Stack) error {
		return stack.Finalize.Add(middleware.FinalizeMiddlewareFunc("awsmigrateCalls", c.count), middleware.After)
	}}
}

func (c *calls) count(ctx context.Context, in middleware.FinalizeInput, next middleware.FinalizeHandler) (middleware.FinalizeOutput, middleware.Metadata, error) {
	kind := strings.ToLower(awsmiddleware.GetServiceID(ctx)) + ":" + awsmiddleware.GetOperationName(ctx)
	c.add(kind)
	out, meta, err := next.HandleFinalize(ctx, in)
	if retry.IsErrorThrottles(retry.DefaultThrottles).IsErrorThrottle(err).Bool() {
		c.add(kind + throttled)
	}
	if err != nil && ctx.Err() == nil {
		c.refuse(kind, awsmiddleware.GetRegion(ctx), err)
	}
	return out, meta, err
}

func (c *calls) refuse(kind, region string, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.refused == nil {
		c.refused = map[string]error{}
	}
	c.refused[kind+" "+region] = err
}

// explained is an error with what the last attempt came to, where the error says
// only that time ran out.
func (c *calls) explained(err error, kind, region string) error {
	if c == nil || err == nil || !errors.Is(err, context.DeadlineExceeded) && !errors.Is(err, context.Canceled) {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if last := c.refused[kind+" "+region]; last != nil {
		return fmt.Errorf("%w; the last attempt: %w", err, last)
	}
	return err
}

// throttled follows an action's name where the answers are counted that were a
// refusal for asking too often.
const throttled = " throttled"

func (c *calls) add(kind string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.n == nil {
		c.n = map[string]int{}
	}
	c.n[kind]++
}

func (c *calls) made() map[string]int {
	if c == nil {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return maps.Clone(c.n)
}
