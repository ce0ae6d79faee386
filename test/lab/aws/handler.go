package aws

import (
	"errors"
	"net/http"
	"strings"
)

// maxBody bounds a query. The largest real ones have a few thousand IDs.
const maxBody = 4 << 20

// Handler serves every API at /as/<caller>/.
func (c *Cloud) Handler() http.Handler {
	return http.HandlerFunc(c.serve)
}

func (c *Cloud) serve(w http.ResponseWriter, r *http.Request) {
	caller, ok := callerOf(r.URL.Path)
	if !ok {
		http.Error(w, "path is "+r.URL.Path+"; wanted /as/<caller>/", http.StatusNotFound)
		return
	}
	r.Body = http.MaxBytesReader(w, r.Body, maxBody)
	if err := r.ParseForm(); err != nil {
		http.Error(w, "cannot read the query: "+err.Error(), http.StatusBadRequest)
		return
	}
	version, name := r.Form.Get("Version"), r.Form.Get("Action")
	a, ok := apiOf(version)
	if !ok {
		a = api{Name: "unknown", Version: version}
	}
	p := parseParams(r.Form)
	log := Call{Caller: caller, Service: a.Name, Action: name, Params: summary(p)}
	result, err := c.answer(&log, r, a, name, p)

	var refusal *apiError
	if err != nil && !errors.As(err, &refusal) {
		refusal = failStatus(http.StatusInternalServerError, "InternalFailure", "%s", err)
	}
	if refusal != nil {
		log.Error = refusal.code
	}
	if err := c.write(log); err != nil {
		refusal = failStatus(http.StatusInternalServerError, "InternalFailure", "%s", err)
	}
	respond(w, a, name, log.RequestID, result, refusal)
}

func callerOf(path string) (string, bool) {
	rest, ok := strings.CutPrefix(path, "/as/")
	caller := strings.TrimSuffix(rest, "/")
	return caller, ok && caller != "" && !strings.Contains(caller, "/")
}

// answer handles a call in the order of AWS: the caller, the rate, the permission, the action.
func (c *Cloud) answer(log *Call, r *http.Request, a api, name string, p *params) (any, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.requests++
	log.RequestID = requestID(c.requests)
	log.Time = c.now()
	todo, known := c.actions[a.Name][name]
	log.Write = todo.write
	if throttle := c.throttle; throttle != nil && throttle(log.Caller, a.Name, name) {
		return nil, a.throttledError()
	}
	who, err := c.authenticate(r, a)
	if err != nil {
		return nil, err
	}
	log.Principal = who.ARN
	if !known {
		return nil, fail("InvalidAction", "The action %s is not valid for this web service (version %q).", name, a.Version)
	}
	if err := c.authorise(who.Principal, a, name, todo); err != nil {
		return nil, err
	}
	if a.EC2 && p.flag("DryRun") {
		return nil, failStatus(http.StatusPreconditionFailed, "DryRunOperation", "Request would have succeeded, but DryRun flag is set.")
	}
	return todo.run(c, &call{params: p, action: name, principal: who.Principal})
}

func (c *Cloud) authorise(who Principal, a api, name string, todo action) error {
	if todo.public {
		return nil
	}
	decision := decisionImplicitDeny
	if r, ok := c.roles.get(who.Role); ok {
		decision = r.evaluate(a.Prefix + ":" + name)
	}
	if decision != decisionAllowed {
		return a.deniedError(who.ARN, a.Prefix+":"+name, decision)
	}
	return nil
}
