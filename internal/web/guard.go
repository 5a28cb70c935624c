package web

import (
	"crypto/rand"
	"crypto/subtle"
	"encoding/hex"
	"net"
	"net/http"
	"sync/atomic"
)

// guard admits the person who has the link, and rejects everyone else.
type guard struct {
	link     string // the token that opens the first page, once
	linkUsed atomic.Bool
	secret   string // the cookie's value, and part of each form's key
	hosts    map[string]bool
	cookie   string
}

func newGuard(l net.Listener) *guard {
	_, port, _ := net.SplitHostPort(l.Addr().String())
	hosts := map[string]bool{}
	for _, name := range []string{"127.0.0.1", "localhost", "::1"} {
		hosts[net.JoinHostPort(name, port)] = true
	}
	// Cookies do not depend on the port, so a second server would replace the first one's cookie.
	return &guard{link: randomToken(), secret: randomToken(), hosts: hosts, cookie: "belay-" + port}
}

func randomToken() string {
	b := make([]byte, 32)
	_, _ = rand.Read(b) // never fails
	return hex.EncodeToString(b)
}

// policy is what pages may load: what this server has, and nothing else. Pages have no inline
// script or style, so that text of a repository that got past the escaping would still not run.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
	"form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

// maxBody limits the size of a request, in bytes.
const maxBody = 1 << 20

func (g *guard) protect(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", policy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "same-origin") // with no-referrer, a browser sends the server's own forms with Origin null
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Cache-Control", "no-store")
		// A page of another site can reach this server by a DNS name for 127.0.0.1. Then the Host
		// is that name.
		if !g.hosts[r.Host] {
			http.Error(w, "belay ui: the Host must be the one of the link that it printed", http.StatusForbidden)
			return
		}
		if o := r.Header.Get("Origin"); o != "" && o != "http://"+r.Host {
			http.Error(w, "belay ui: a request from another site", http.StatusForbidden)
			return
		}
		if s := r.Header.Get("Sec-Fetch-Site"); s != "" && s != "none" && s != "same-origin" {
			http.Error(w, "belay ui: a request from another site", http.StatusForbidden)
			return
		}
		if token := r.URL.Query().Get("token"); token != "" && r.URL.Path == "/" && r.Method == http.MethodGet {
			g.enter(w, r, token)
			return
		}
		if !g.hasCookie(r) {
			http.Error(w, "belay ui: open the link that belay ui printed; it works once, in one browser", http.StatusUnauthorized)
			return
		}
		switch r.Method {
		case http.MethodGet, http.MethodHead:
		case http.MethodPost:
			r.Body = http.MaxBytesReader(w, r.Body, maxBody)
			if r.ParseForm() != nil || !constantTimeEqual(r.PostForm.Get("key"), g.key()) {
				http.Error(w, "belay ui: the form is not from this server, or too large: reload the page", http.StatusForbidden)
				return
			}
		default:
			http.Error(w, "belay ui: "+http.StatusText(http.StatusMethodNotAllowed), http.StatusMethodNotAllowed)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// enter sets the cookie for the first request with the link's token.
func (g *guard) enter(w http.ResponseWriter, r *http.Request, token string) {
	if !constantTimeEqual(token, g.link) || !g.linkUsed.CompareAndSwap(false, true) {
		if g.hasCookie(r) { // the page was reloaded
			http.Redirect(w, r, "/", http.StatusSeeOther)
			return
		}
		http.Error(w, "belay ui: this link was used, or is not from this server: start belay ui again", http.StatusUnauthorized)
		return
	}
	http.SetCookie(w, &http.Cookie{Name: g.cookie, Value: g.secret, Path: "/", HttpOnly: true, SameSite: http.SameSiteStrictMode})
	http.Redirect(w, r, "/", http.StatusSeeOther)
}

func (g *guard) hasCookie(r *http.Request) bool {
	c, err := r.Cookie(g.cookie)
	return err == nil && constantTimeEqual(c.Value, g.secret)
}

// key returns the value that each form contains. SameSite ignores ports, so a page of another local
// server could send a form.
func (g *guard) key() string { return g.link[:16] + g.secret[:16] }

func constantTimeEqual(a, b string) bool {
	return subtle.ConstantTimeCompare([]byte(a), []byte(b)) == 1
}
