package rancher

import (
	"net/http"
	"strings"
	"sync"

	"k8s.io/client-go/rest"

	"github.com/awsmigrate/awsmigrate/test/lab/pki"
)

// tokens holds the bearer tokens that Rancher has issued. Rancher checks a caller's token
// before it forwards a request, and impersonates its user at the API server
// (rancher/rancher:pkg/auth/requests/filter.go@v2.8.5). Here it inserts that user's own token
// instead. A token of another issuer passes through.
type tokens struct {
	mu      sync.Mutex
	user    map[string]string // an issued token to its user's token on the API servers
	revoked map[string]bool
}

// issue returns a new token for the user with the token behind on the API servers.
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

// revoke refuses from now on the user's own token and every token that was issued to the user
// so far.
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

// guard answers 401 with Rancher's message to requests with a revoked token.
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

// Login returns a new token of Rancher for a user of the API servers.
func (r *Rancher) Login(user *rest.Config) string { return r.tokens.issue(user.BearerToken) }

// Revoke refuses every token that the user has used with Rancher so far, as Rancher does after
// they expired or were deleted. The API servers still accept the user's own credentials.
func (r *Rancher) Revoke(user *rest.Config) { r.tokens.revoke(user.BearerToken) }
