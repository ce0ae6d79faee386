package aws

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// metadataToken is an IMDSv2 session.
type metadataToken struct {
	instance string
	expires  time.Time
}

const (
	tokenHeader    = "X-aws-ec2-metadata-token"
	tokenTTLHeader = "X-aws-ec2-metadata-token-ttl-seconds"
)

// Metadata returns an instance's metadata service as a process on the instance's own network
// sees it.
func (c *Cloud) Metadata(instanceID string) http.Handler {
	return c.MetadataAcross(instanceID, 1)
}

// MetadataAcross returns the metadata service across a number of network hops, 2 from a pod
// network. If the instance's hop limit is smaller, the answer with the token does not arrive:
// the client gets no answer, as in AWS.
func (c *Cloud) MetadataAcross(instanceID string, hops int) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c.serveMetadata(w, r, instanceID, hops)
	})
}

// metadataAnswer is the service's response to one request.
type metadataAnswer struct {
	status int
	body   string
	kind   string // content type
	ttl    string
	lost   bool // the answer does not reach the client
}

func (c *Cloud) serveMetadata(w http.ResponseWriter, r *http.Request, id string, hops int) {
	answer := c.metadata(r, id, hops)
	call := Call{Time: c.now(), Caller: id, Service: "imds", Action: r.Method + " " + r.URL.Path}
	if answer.status != http.StatusOK {
		call.Error = strconv.Itoa(answer.status)
	}
	if answer.lost {
		call.Error = "HopLimit"
	}
	if err := c.write(call); err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	if answer.lost {
		<-r.Context().Done()
		return
	}
	w.Header().Set("Server", "EC2ws")
	w.Header().Set("Content-Type", answer.kind)
	if answer.ttl != "" {
		w.Header().Set(tokenTTLHeader, answer.ttl)
	}
	w.WriteHeader(answer.status)
	_, _ = w.Write([]byte(answer.body)) // only fails if the client is gone
}

// refuse answers as the service does: with a page, which a client that ignores the status takes
// for the value.
func refuse(status int) metadataAnswer {
	const page = `<?xml version="1.0" encoding="iso-8859-1"?>
<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Transitional//EN"
	"http://www.w3.org/TR/xhtml1/DTD/xhtml1-transitional.dtd">
<html xmlns="http://www.w3.org/1999/xhtml" xml:lang="en" lang="en">
 <head>
  <title>%[1]d - %[2]s</title>
 </head>
 <body>
  <h1>%[1]d - %[2]s</h1>
 </body>
</html>
`
	return metadataAnswer{status: status, body: fmt.Sprintf(page, status, http.StatusText(status)), kind: "text/html"}
}

func (c *Cloud) metadata(r *http.Request, id string, hops int) metadataAnswer {
	c.mu.Lock()
	defer c.mu.Unlock()
	i, ok := c.instances.get(id)
	if !ok || i.State == StateTerminated {
		return refuse(http.StatusServiceUnavailable)
	}
	if i.HTTPEndpoint == EndpointDisabled {
		return refuse(http.StatusForbidden)
	}
	switch r.Method {
	case http.MethodPut:
		return c.metadataToken(r, i, hops)
	case http.MethodGet, http.MethodHead:
	default:
		return refuse(http.StatusMethodNotAllowed)
	}
	if !c.metadataAllowed(r, i) {
		return refuse(http.StatusUnauthorized)
	}
	path, ok := metadataPath(r.URL.Path)
	if !ok {
		return refuse(http.StatusNotFound)
	}
	tree, err := c.metadataTree(i)
	if err != nil {
		return refuse(http.StatusInternalServerError)
	}
	body, ok := tree.read(path)
	if !ok {
		return refuse(http.StatusNotFound)
	}
	return metadataAnswer{status: http.StatusOK, body: body, kind: "text/plain"}
}

// metadataToken starts an IMDSv2 session. AWS refuses forwarded requests, so a proxy cannot
// start one.
func (c *Cloud) metadataToken(r *http.Request, i *Instance, hops int) metadataAnswer {
	if path, ok := metadataPath(r.URL.Path); !ok || path != "api/token" {
		return refuse(http.StatusNotFound)
	}
	if r.Header.Get("X-Forwarded-For") != "" {
		return refuse(http.StatusForbidden)
	}
	ttl, err := strconv.Atoi(r.Header.Get(tokenTTLHeader))
	if err != nil || ttl < 1 || ttl > 21600 {
		return refuse(http.StatusBadRequest)
	}
	token := base64.URLEncoding.EncodeToString(digest("imds", c.account, i.ID, c.fresh()))
	c.metadataKeys[token] = metadataToken{instance: i.ID, expires: c.now().Add(time.Duration(ttl) * time.Second)}
	return metadataAnswer{
		status: http.StatusOK, body: token, kind: "text/plain", ttl: strconv.Itoa(ttl), lost: hops > i.HopLimit,
	}
}

// metadataAllowed accepts requests without a token only if tokens are optional, and requests
// with one only if it is valid.
func (c *Cloud) metadataAllowed(r *http.Request, i *Instance) bool {
	token := r.Header.Get(tokenHeader)
	if token == "" {
		return i.HTTPTokens != "required"
	}
	session, ok := c.metadataKeys[token]
	return ok && session.instance == i.ID && c.now().Before(session.expires)
}

// metadataPath removes the version: /latest or a date.
func metadataPath(path string) (string, bool) {
	version, rest, _ := strings.Cut(strings.TrimPrefix(path, "/"), "/")
	if _, err := time.Parse(time.DateOnly, version); err != nil && version != "latest" {
		return "", false
	}
	return rest, true
}
