package main

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"

	"go.temporal.io/sdk/client"

	"github.com/belay-dev/belay/fleet/metrics"
	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/terminal"
)

type answering struct{ err error }

// CheckHealth answers as configured.
func (s *answering) CheckHealth(context.Context, *client.CheckHealthRequest) (*client.CheckHealthResponse, error) {
	return nil, s.err
}

func TestServe(t *testing.T) {
	t.Parallel()
	var said strings.Builder
	a := &program{Terminal: &terminal.Terminal{Out: &said, Err: io.Discard}}
	r, up := &metrics.Registry{}, &answering{}
	r.Handler().Counter("temporal_request").Inc(1)
	stop, err := a.serve("127.0.0.1:0", r, up)
	if err != nil {
		t.Fatal(err)
	}
	defer stop()
	base := strings.TrimSuffix(strings.Fields(said.String())[2], "/metrics")
	get := func(path string) (int, string) {
		t.Helper()
		res, err := http.Get(base + path)
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		text, err := io.ReadAll(res.Body)
		if err != nil {
			t.Fatal(err)
		}
		return res.StatusCode, string(text)
	}
	if status, text := get("/metrics"); status != 200 || !strings.Contains(text, "\ntemporal_request_total 1\n") {
		t.Errorf("%d %s", status, text)
	}
	if status, text := get("/healthz"); status != 200 || text != "ok\n" {
		t.Errorf("%d %s", status, text)
	}
	up.err = errors.New("PLANTED")
	if status, text := get("/healthz"); status != 503 || strings.Contains(text, "PLANTED") {
		t.Errorf("%d %s", status, text)
	}
	if status, _ := get("/"); status != 404 {
		t.Errorf("/ is %d", status)
	}
	if _, err := a.serve(strings.TrimPrefix(base, "http://"), r, up); belay.CodeOf(err) != belay.CodeUsage {
		t.Errorf("an address that is taken: %v", err)
	}
}
