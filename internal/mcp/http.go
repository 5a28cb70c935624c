package mcp

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/belay-dev/belay/internal/belay"
)

// Path is the URL path that clients connect to over HTTP.
const Path = "/mcp"

// Listen opens a local port for HTTP. The error is CodeUsage if others could reach the address.
func Listen(ctx context.Context, addr string) (net.Listener, error) {
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		return nil, belay.Refuse(belay.CodeUsage, "--http 127.0.0.1:8017, or port 0 for a free one", "%q is no address: %v", addr, err)
	}
	if !isLoopback(host) {
		return nil, belay.Refuse(belay.CodeUsage, "--http 127.0.0.1:8017; from another machine use an SSH tunnel",
			"%q can be reached by others: belay mcp serves this machine only", addr)
	}
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", addr)
	if err != nil {
		return nil, &belay.Error{Code: belay.CodeCannot, What: "cannot listen on " + addr, Err: err,
			Try: "choose another port, or 0 for a free one"}
	}
	return l, nil
}

// isLoopback reports whether a name or address means this machine. It uses no name server.
func isLoopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// HTTP serves clients until ctx ends. Requests share no session, so a server can be restarted while
// clients use it.
func HTTP(ctx context.Context, o Options, l net.Listener) error {
	handler := sdk.NewStreamableHTTPHandler(func() func(*http.Request) *sdk.Server {
		one := New(o)
		return func(*http.Request) *sdk.Server { return one }
	}(), &sdk.StreamableHTTPOptions{Stateless: true, JSONResponse: true, PropagateRequestCancellation: true})
	mux := http.NewServeMux()
	mux.Handle(Path, onlyLocal(handler))
	h := &http.Server{Handler: mux, ReadHeaderTimeout: 10 * time.Second, BaseContext: func(net.Listener) context.Context { return ctx }}
	done := make(chan struct{})
	go func() {
		defer close(done)
		<-ctx.Done()
		closing, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
		defer cancel()
		if h.Shutdown(closing) != nil {
			_ = h.Close() // ends requests that are still running
		}
	}()
	err := h.Serve(l)
	if errors.Is(err, http.ErrServerClosed) {
		<-done
		return nil
	}
	return err
}

// onlyLocal accepts requests only from programs on this machine. It rejects web pages in a local
// browser by their Origin or Host, including pages under a name that was made to point to this
// machine.
func onlyLocal(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		host := r.Host
		if name, _, err := net.SplitHostPort(host); err == nil {
			host = name
		}
		if !isLoopback(strings.Trim(host, "[]")) || !areLocal(r.Header.Values("Origin")) {
			http.Error(w, "belay mcp serves this machine only: the Host and the Origin must be localhost", http.StatusForbidden)
			return
		}
		next.ServeHTTP(w, r)
	})
}

func areLocal(origins []string) bool {
	for _, o := range origins {
		u, err := url.Parse(o)
		if err != nil || !isLoopback(u.Hostname()) {
			return false
		}
	}
	return true
}
