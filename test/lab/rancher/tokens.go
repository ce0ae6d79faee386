package rancher

import (
	"net/http"
	"strings"
	"sync"

	"k8s.io/client-go/rest"

	"github.com/awsmigrate/awsmigrate/test/lab/pki"
)

// tokens are the bearer tokens that Rancher has given out itself. Rancher checks a
// caller's token before it passes a request on, and speaks for its user to the API
// server behind it (rancher/rancher:pkg/auth/requests/filter.go@v2.8.5); here it
// puts that user's own token in its place. A token that Rancher did not give out
// passes through.
type tokens struct {
	mu      sync.Mutex
	user    map[string]string // a token that was given out, to its user's on the API servers
	revoked map[string]bool
}

// issue gives out a new token for the user whose token on the API servers is behind.
func (t *tokens) issue(behind string) string {
	t.mu.Lock()
	defer t.mu.Unlock()
	fresh := pki.Token()
	if t.user == nil {
		t.user = map[string]string{}
	}
	t.user[fresh] = behind
	return fresh
}

// revoke refuses from now on every token of the user that was given out so far,
// and the user's own.
func (t *tokens) revoke(behind string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.refuse(behind)
	for token, of := range t.user {
		if of == behind {
			t.refuse(token)
		}
	}
}

// revokeOne refuses one token from now on.
func (t *tokens) revokeOne(token string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.refuse(token)
}

func (t *tokens) refuse(token string) {
	if t.revoked == nil {
		t.revoked = map[string]bool{}
	}
	t.revoked[token] = true
}

// guard answers 401 in Rancher's words to who has a revoked token.
func (t *tokens) guard(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		token := strings.TrimPrefix(req.Header.Get("Authorization"), "Bearer ")
		t.mu.Lock()
		revoked, behind := t.revoked[token], t.user[token]
		t.mu.Unlock()
		if revoked {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(http.StatusUnauthorized)
			_, _ = w.Write([]byte(`{"type":"error","status":"401","message":"Unauthorized 401: must authenticate"}`))
			return
		}
		if behind != "" {
			req.Header.Set("Authorization", "Bearer "+behind)
		}
		next.ServeHTTP(w, req)
	})
}

// Login gives a user of the API servers, by the token there, a new token of Rancher's.
func (r *Rancher) Login(user *rest.Config) string { return r.tokens.issue(user.BearerToken) }

// Revoke refuses every token that the user has used with Rancher so far, as Rancher does after
// they expired or were deleted. The API servers still accept the user's own credentials.
func (r *Rancher) Revoke(user *rest.Config) { r.tokens.revoke(user.BearerToken) }
