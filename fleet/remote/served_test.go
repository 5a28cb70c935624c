package remote_test

import (
	"bytes"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/cgi"
	"net/http/httptest"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
)

// server serves the bare repositories of a folder over git's smart HTTP, on loopback.
type server struct {
	URL   string
	moved atomic.Int64 // bytes, both ways, including HTTP's own
	room  atomic.Int64 // bytes after which a connection is cut; 0 is never
	asked func(*http.Request) bool
}

func serve(t *testing.T, dir string, asked func(*http.Request) bool) *server {
	t.Helper()
	out, err := exec.Command("git", "--exec-path").Output()
	if err != nil {
		t.Fatal(err)
	}
	s := &server{asked: asked}
	backend := &cgi.Handler{Path: filepath.Join(strings.TrimSpace(string(out)), "git-http-backend"),
		Env: []string{"GIT_PROJECT_ROOT=" + dir, "GIT_HTTP_EXPORT_ALL=1", "REMOTE_USER=worker"}, InheritEnv: []string{"HOME", "PATH", "GIT_CONFIG_NOSYSTEM"},
		Stderr: io.Discard, Logger: log.New(io.Discard, "", 0)}
	h := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if s.asked != nil && !s.asked(r) {
			w.Header().Set("WWW-Authenticate", `Basic realm="git"`)
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		body, err := io.ReadAll(r.Body) // git sends chunks, which CGI does not support
		if err != nil {
			return
		}
		r.Body, r.ContentLength, r.TransferEncoding = io.NopCloser(bytes.NewReader(body)), int64(len(body)), nil
		backend.ServeHTTP(w, r)
	}))
	h.Listener = counted{h.Listener, s}
	h.Start()
	t.Cleanup(h.Close)
	s.URL = h.URL
	return s
}

// counted counts the bytes of connections, and cuts them.
type counted struct {
	net.Listener
	s *server
}

func (l counted) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	return &conn{Conn: c, s: l.s}, err
}

type conn struct {
	net.Conn
	s    *server
	used atomic.Int64
}

// cut counts bytes, and closes a connection that moved too many.
func (c *conn) cut(n int) bool {
	c.s.moved.Add(int64(n))
	used, room := c.used.Add(int64(n)), c.s.room.Load()
	if room > 0 && used > room {
		_ = c.Conn.Close()
		return true
	}
	return false
}

func (c *conn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	if c.cut(n) {
		return 0, io.ErrUnexpectedEOF
	}
	return n, err
}

func (c *conn) Write(p []byte) (int, error) {
	n, err := c.Conn.Write(p)
	if c.cut(n) {
		return 0, io.ErrUnexpectedEOF
	}
	return n, err
}
