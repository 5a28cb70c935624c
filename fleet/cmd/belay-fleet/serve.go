package main

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"time"

	"go.temporal.io/sdk/client"

	"github.com/belay-dev/belay/fleet/metrics"
	"github.com/belay-dev/belay/internal/belay"
)

// checker is the part of a Temporal client that checks whether the server answers.
type checker interface {
	CheckHealth(context.Context, *client.CheckHealthRequest) (*client.CheckHealthResponse, error)
}

// serve serves a worker's metrics and health at an address until stop is called.
func (a *program) serve(address string, r *metrics.Registry, c checker) (stop func(), err error) {
	l, err := net.Listen("tcp", address)
	if err != nil {
		return nil, &belay.Error{Code: belay.CodeUsage, What: "the metrics cannot be served at " + belay.VisibleLine(address),
			Try: "--metrics 127.0.0.1:9464", Err: err}
	}
	s := &http.Server{Handler: metricsHandler(r, c), ReadHeaderTimeout: dialTime, ReadTimeout: dialTime, WriteTimeout: 2 * dialTime}
	go func() { _ = s.Serve(l) }()
	if !a.JSON {
		fmt.Fprintf(a.Out, "metrics at http://%s/metrics\n", l.Addr())
	}
	return func() { _ = s.Close() }, nil
}

// metricsHandler serves /metrics, and /healthz: 200 if the server answers within two seconds, else
// 503. A 503 is no reason to restart the worker: it recovers when the server answers again.
func metricsHandler(r *metrics.Registry, c checker) http.Handler {
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", r)
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, q *http.Request) {
		ctx, cancel := context.WithTimeout(q.Context(), 2*time.Second)
		defer cancel()
		if _, err := c.CheckHealth(ctx, &client.CheckHealthRequest{}); err != nil {
			http.Error(w, "the Temporal server does not answer", http.StatusServiceUnavailable)
			return
		}
		fmt.Fprintln(w, "ok")
	})
	return mux
}
