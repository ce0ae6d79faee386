package sim

import "net/http"

// ServeHTTP serves the cluster's own API server.
func (w *World) ServeHTTP(res http.ResponseWriter, req *http.Request) {
	answer, err := wire{&Process{world: w}, func(w *World) *server { return w.down }, 0}.RoundTrip(req)
	if err != nil {
		http.Error(res, err.Error(), http.StatusBadGateway)
		return
	}
	defer func() { _ = answer.Body.Close() }()
	for name, values := range answer.Header {
		res.Header()[name] = values
	}
	res.WriteHeader(answer.StatusCode)
	flushed := http.NewResponseController(res)
	_ = flushed.Flush()
	for part := make([]byte, 32<<10); ; { // a watch sends its events as they come
		n, err := answer.Body.Read(part)
		if _, failed := res.Write(part[:n]); failed != nil || err != nil {
			return
		}
		_ = flushed.Flush()
	}
}
