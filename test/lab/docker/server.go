package docker

import (
	"crypto/subtle"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
)

const prefix = "/hosts/"

// Handler serves Dial's calls for clients with the key. find returns the machine at an address,
// or false.
func Handler(key Key, find func(address string) (Host, bool)) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("POST "+prefix+"{address}/{what}", func(w http.ResponseWriter, r *http.Request) {
		want := []byte("Bearer " + key.Token)
		if subtle.ConstantTimeCompare([]byte(r.Header.Get("Authorization")), want) != 1 {
			http.Error(w, "ssh: handshake failed: ssh: unable to authenticate, attempted methods [none publickey]", http.StatusBadGateway)
			return
		}
		address := r.PathValue("address")
		host, ok := find(address)
		if !ok {
			http.Error(w, "dial tcp "+address+":22: connect: no route to host", http.StatusBadGateway)
			return
		}
		var body request
		if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		answer, err := serve(r, host, r.PathValue("what"), body)
		reply(w, answer, err)
	})
	return mux
}

func serve(r *http.Request, host Host, what string, body request) (any, error) {
	ctx := r.Context()
	switch what {
	case "ping":
		return nil, host.Ping(ctx)
	case "inspect":
		return host.Inspect(ctx, body.Name)
	case "create":
		if body.Spec == nil {
			return nil, errors.New("a container of nothing")
		}
		return nil, host.Create(ctx, body.Name, *body.Spec)
	case "start":
		return nil, host.Start(ctx, body.Name)
	case "stop":
		return nil, host.Stop(ctx, body.Name)
	case "rename":
		return nil, host.Rename(ctx, body.Name, body.To)
	case "remove":
		return nil, host.Remove(ctx, body.Name)
	case "write":
		return nil, host.WriteFile(ctx, body.Path, body.Content)
	case "healthy":
		return nil, host.Healthy(ctx, body.Name)
	}
	return nil, fmt.Errorf("%q is no call to a host", what)
}

func reply(w http.ResponseWriter, answer any, err error) {
	switch {
	case err == nil:
		_ = json.NewEncoder(w).Encode(answer) // a disconnected client is no error of the machine
	case errors.Is(err, ErrNotFound):
		http.Error(w, err.Error(), http.StatusNotFound)
	case errors.Is(err, ErrUnreachable):
		http.Error(w, err.Error(), http.StatusBadGateway)
	default:
		http.Error(w, err.Error(), http.StatusInternalServerError)
	}
}
