package paging

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"testing"

	awssdk "github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	"github.com/aws/smithy-go"
)

// pager returns the pages' tokens in order, as the SDK's paginators do. It has more pages until a
// token is empty.
type pager struct {
	token func(page int) string
	err   error // of the second page
	page  int
	ended bool
}

func (p *pager) HasMorePages() bool { return !p.ended }

func (p *pager) NextPage(context.Context, ...func(*ec2.Options)) (string, error) {
	if p.page == 1 && p.err != nil {
		return "", p.err
	}
	token := p.token(p.page)
	p.page++
	p.ended = token == ""
	return token, nil
}

// All pages are taken, or an error explains why not.
func TestEachPage(t *testing.T) {
	listed := func(tokens ...string) func(int) string {
		return func(page int) string { return tokens[page%len(tokens)] }
	}
	broken := errors.New("broken")
	for name, tt := range map[string]struct {
		pages pager
		take  error
		want  error // nil: all pages were taken
		asked int
	}{
		"one page_taken":             {pager{token: listed("")}, nil, nil, 1},
		"three pages_taken":          {pager{token: listed("a", "b", "")}, nil, nil, 3},
		"the same token_refused":     {pager{token: listed("a")}, nil, ErrRepeats, 2},
		"tokens in a circle_refused": {pager{token: listed("a", "b", "c")}, nil, ErrRepeats, 4},
		"no end_refused":             {pager{token: func(page int) string { return strconv.Itoa(page + 1) }}, nil, ErrTooMany, MaxPages},
		"a page fails_refused":       {pager{token: listed("a", "b", ""), err: broken}, nil, broken, 1},
		"a page misread_refused":     {pager{token: listed("a", "b", "")}, broken, broken, 1},
	} {
		t.Run(name, func(t *testing.T) {
			err := Each(t.Context(), "things", &tt.pages, func(token string) (*string, error) { return awssdk.String(token), tt.take })
			if !errors.Is(err, tt.want) || (err == nil) != (tt.want == nil) || tt.pages.page != tt.asked {
				t.Errorf("%v after %d pages, want %v after %d", err, tt.pages.page, tt.want, tt.asked)
			}
			if err != nil && !strings.Contains(err.Error(), "describing things") {
				t.Errorf("does not name the request: %v", err)
			}
		})
	}
}

// A canceled query names the limit that ended it.
func TestEachPage_cancelled_causeNamed(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(errors.New("no answer from AWS within 1s"))
	err := Each(ctx, "things", &pager{token: func(int) string { return "a" }, err: context.Canceled, page: 1},
		func(string) (*string, error) { return nil, nil })
	if err == nil || !strings.Contains(err.Error(), "no answer from AWS within 1s") {
		t.Errorf("says %v", err)
	}
}

func TestRenewHint(t *testing.T) {
	for code, want := range map[string]bool{"ExpiredToken": true, "AuthFailure": true, "UnauthorizedOperation": false, "Throttling": false} {
		if got := renewHint(fmt.Errorf("x: %w", &smithy.GenericAPIError{Code: code})); (got != "") != want {
			t.Errorf("%s: %q", code, got)
		}
	}
	if got := renewHint(ErrRepeats); got != "" {
		t.Errorf("not of AWS: %q", got)
	}
}
