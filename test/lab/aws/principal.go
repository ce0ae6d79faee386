package aws

import (
	"crypto/subtle"
	"encoding/base64"
	"net/http"
	"strings"
)

// Principal is the identity that signed a call.
type Principal struct {
	Role    string
	Session string
	ARN     string // of the assumed role, as GetCallerIdentity gives it
	UserID  string
}

type credential struct {
	Principal
	id, secret, token string
}

// Credentials returns a role's temporary credentials. They are the same at each call and in
// each lab with the same account. The token belongs to the key.
func (c *Cloud) Credentials(roleName string) (id, secret, token string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	k := c.credential(roleName, "lab")
	return k.id, k.secret, k.token
}

// Principal returns the owner of an access key.
func (c *Cloud) Principal(accessKey string) (Principal, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	k, ok := c.keys[accessKey]
	if !ok {
		return Principal{}, false
	}
	return k.Principal, true
}

func (c *Cloud) credential(roleName, session string) *credential {
	id := "ASIA" + base32ID(16, "key", c.account, roleName, session)
	if k, ok := c.keys[id]; ok {
		return k
	}
	k := &credential{
		Principal: Principal{
			Role:    roleName,
			Session: session,
			ARN:     "arn:aws:sts::" + c.account + ":assumed-role/" + roleName + "/" + session,
			UserID:  c.roleID(roleName) + ":" + session,
		},
		id:     id,
		secret: base64.StdEncoding.EncodeToString(digest("secret", id))[:40],
		token:  base64.StdEncoding.EncodeToString(append(digest("token", id), digest("token2", id)...)),
	}
	c.keys[id] = k
	return k
}

func (c *Cloud) roleID(name string) string { return "AROA" + base32ID(17, "role", c.account, name) }

func (c *Cloud) roleARN(name string) string { return "arn:aws:iam::" + c.account + ":role/" + name }

// authenticate finds the principal by the access key of a SigV4 signature, in the header or in
// a presigned query. The signature itself is not verified.
func (c *Cloud) authenticate(r *http.Request, svc api) (*credential, error) {
	scope, token := r.Form.Get("X-Amz-Credential"), r.Form.Get("X-Amz-Security-Token")
	if header := r.Header.Get("Authorization"); header != "" {
		_, rest, _ := strings.Cut(header, "Credential=")
		scope, _, _ = strings.Cut(rest, ",")
		token = r.Header.Get("X-Amz-Security-Token")
	}
	if scope == "" {
		return nil, failStatus(http.StatusForbidden, "MissingAuthenticationToken", "Request is missing Authentication Token")
	}
	id, _, _ := strings.Cut(scope, "/")
	k := c.keys[id]
	if k == nil || subtle.ConstantTimeCompare([]byte(token), []byte(k.token)) != 1 {
		return nil, svc.badCredentials()
	}
	return k, nil
}
