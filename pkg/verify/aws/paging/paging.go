// Package paging reads the pages of AWS's answers to their end, with limits.
package paging

import (
	"context"
	"errors"
	"fmt"

	awssdk "github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/smithy-go"
)

// MaxPages limits the pages of one query: a million instances.
const MaxPages = 1000

// paginator holds the used methods of the SDK's paginators, for pages P and options O.
type paginator[P, O any] interface {
	HasMorePages() bool
	NextPage(context.Context, ...func(*O)) (P, error)
}

// Each passes every page to take, or returns an error. The SDK's paginators follow a repeated
// token without end or treat it as the end. Here it is an error, because the rest is unknown.
func Each[P, O any](ctx context.Context, what string, pages paginator[P, O], take func(P) (next *string, err error)) error {
	tokens := map[string]bool{}
	for pages.HasMorePages() {
		if len(tokens) >= MaxPages {
			return fmt.Errorf("describing %s: %w", what, ErrTooMany)
		}
		page, err := pages.NextPage(ctx)
		if err != nil && ctx.Err() != nil {
			err = fmt.Errorf("%w (%w)", err, context.Cause(ctx))
		}
		if err != nil {
			return fmt.Errorf("describing %s: %w%s", what, err, renewHint(err))
		}
		next, err := take(page)
		if err == nil && tokens[awssdk.ToString(next)] {
			err = ErrRepeats
		}
		if err != nil {
			return fmt.Errorf("describing %s: %w", what, err)
		}
		tokens[awssdk.ToString(next)] = true
	}
	return nil
}

// renewHint returns the remedy if AWS does not accept the credentials at all, or "" (Amazon EC2 API
// reference, 2016-11-15, common error codes).
func renewHint(err error) string {
	var api smithy.APIError
	if !errors.As(err, &api) {
		return ""
	}
	switch api.ErrorCode() {
	case "AuthFailure", "ExpiredToken", "ExpiredTokenException", "InvalidClientTokenId", "RequestExpired", "SignatureDoesNotMatch", "UnrecognizedClientException":
		return "; renew the AWS credentials: aws sts get-caller-identity"
	}
	return ""
}

// Errors of answers that do not say everything.
var (
	ErrRepeats = errors.New("AWS returned the same page token twice; the rest of the answer is unknown")
	ErrTooMany = fmt.Errorf("the answer has more than %d pages", MaxPages)
	// ErrNameless means that an answer does not name its resource.
	ErrNameless = errors.New("the answer does not say which resource it describes")
)
