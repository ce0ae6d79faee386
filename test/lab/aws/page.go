package aws

import (
	"encoding/base64"
	"fmt"
	"strconv"
	"strings"
)

// pager holds the paging parameters of a call.
type pager struct {
	after uint64 // sequence number of the last thing already given
	size  int
}

// newPager reads the parameters of one action, whose largest page is maximum.
func newPager(action, token string, asked, maximum int) (pager, error) {
	size := maximum
	if asked > 0 && asked < size {
		size = asked
	}
	if token == "" {
		return pager{size: size}, nil
	}
	raw, err := base64.RawURLEncoding.DecodeString(token)
	if err != nil {
		return pager{}, badToken(token)
	}
	name, number, ok := strings.Cut(string(raw), " ")
	after, err := strconv.ParseUint(number, 10, 64)
	if !ok || err != nil || name != action {
		return pager{}, badToken(token)
	}
	return pager{after: after, size: size}, nil
}

func badToken(token string) *apiError {
	return fail("InvalidNextToken", "The specified token %q is not valid", token)
}

func pageToken(action string, seq uint64) string {
	return base64.RawURLEncoding.EncodeToString(fmt.Appendf(nil, "%s %d", action, seq))
}

// page returns the next matching resources, and the token of the next page, or empty on the
// last one.
func page[T any](s *store[T], action string, p pager, match func(string, T) bool) (out []T, next string) {
	var last uint64
	for _, e := range s.order {
		if e.seq <= p.after || !match(e.id, e.value) {
			continue
		}
		if len(out) == p.size {
			return out, pageToken(action, last)
		}
		out = append(out, e.value)
		last = e.seq
	}
	return out, ""
}
