package forge

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/belay-dev/belay/internal/belay"
)

// Client sends requests to the forge of one repository.
type Client struct {
	Place
	Via string // gh, glab, tea, or "the API"

	me   *person // belay's account, once it was asked for; without a login for an app's token
	send sender
	wait func(context.Context, time.Duration) error // replaced in tests
	now  func() time.Time
}

// sender sends one request with a JSON body. The error means that the forge was not reached; any
// answer, whatever its status, is none.
type sender func(ctx context.Context, method, path string, body []byte) (reply, error)

type reply struct {
	status int
	header http.Header
	body   []byte
}

// Limits of a call.
const (
	mostReply  = 16 << 20
	callWait   = 30 * time.Second
	tries      = 3
	patience   = 10 * time.Second // the longest rate limit to wait for
	mostPages  = 100
	onePage    = 50 // Gitea's default maximum
	mostSaying = 300
)

// New returns a client for a place. It uses the forge's own program if that is installed and logged
// in, otherwise the token in the environment. Error: CodeCannot, with advice, if there is neither.
func New(ctx context.Context, p Place) (*Client, error) {
	c := &Client{Place: p, wait: sleep, now: time.Now}
	if send, name := program(ctx, p); send != nil {
		c.send, c.Via = send, name
		return c, nil
	}
	token, variable := p.token()
	if token == "" {
		tool := tools[p.Kind]
		return nil, belay.Refuse(belay.CodeCannot, fmt.Sprintf("%s, or set %s", tool.login(p.Host), variable),
			"nobody is logged in to %s", belay.VisibleLine(p.Host))
	}
	c.send, c.Via = p.overHTTP(token), "the API"
	return c, nil
}

func sleep(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}

// overHTTP sends requests to the API. It does not follow redirects, which would get the token.
func (p Place) overHTTP(token string) sender {
	client := &http.Client{Timeout: callWait, CheckRedirect: func(*http.Request,
		[]*http.Request) error {
		return http.ErrUseLastResponse
	}}
	return func(ctx context.Context, method, path string, body []byte) (reply, error) {
		api := p.API
		if path == graphqlPath {
			api = strings.TrimSuffix(api, "/v3") // GitHub Enterprise's version of REST
		}
		req, err := http.NewRequestWithContext(ctx, method, api+path, bytes.NewReader(body))
		if err != nil {
			return reply{}, err
		}
		switch p.Kind {
		case GitHub:
			req.Header.Set("Authorization", "Bearer "+token)
			req.Header.Set("Accept", "application/vnd.github+json")
			req.Header.Set("X-GitHub-Api-Version", "2022-11-28")
		case GitLab:
			req.Header.Set("PRIVATE-TOKEN", token)
		default:
			req.Header.Set("Authorization", "token "+token)
		}
		req.Header.Set("User-Agent", "belay")
		if len(body) > 0 {
			req.Header.Set("Content-Type", "application/json")
		}
		resp, err := client.Do(req)
		if err != nil {
			return reply{}, err
		}
		defer func() { _ = resp.Body.Close() }()
		text, err := io.ReadAll(io.LimitReader(resp.Body, mostReply+1))
		if err == nil && len(text) > mostReply {
			err = fmt.Errorf("an answer of more than %d bytes", mostReply)
		}
		return reply{resp.StatusCode, resp.Header, text}, err
	}
}

// call sends a request and decodes the answer into out. It retries idempotent requests if the forge
// is unreachable or fails, and any request after a rate limit. Other requests that create something
// are not retried: the caller looks first whether it exists.
func (c *Client) call(ctx context.Context, method, path string, in, out any) (http.Header, error) {
	var body []byte
	if in != nil {
		var err error
		if body, err = json.Marshal(in); err != nil {
			return nil, err
		}
	}
	var last error
	for try := 1; ; try++ {
		r, err := c.send(ctx, method, path, body)
		if err == nil && r.status >= 200 && r.status < 300 {
			if out == nil {
				return r.header, nil
			}
			if err := json.Unmarshal(r.body, out); err != nil {
				return nil, belay.Refuse(belay.CodeCannot, "check the address of the forge", "%s did not answer as %s does: %v",
					belay.VisibleLine(c.Host), c.Kind, err)
			}
			return r.header, nil
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		again := time.Duration(0)
		switch {
		case err != nil:
			last = &belay.Error{Code: belay.CodeCannot, What: "cannot reach " + belay.VisibleLine(c.Host), Err: err,
				Try: "check the network, then repeat it: nothing is done twice"}
			again = time.Duration(try) * time.Second
		case r.status >= 500:
			last = c.refusal(r, method, path)
			again = time.Duration(try) * time.Second
		default:
			last = c.refusal(r, method, path)
			if until, limited := c.limited(r); limited && until <= patience {
				again = max(until, time.Second)
			}
		}
		_, limited := c.limited(r)
		if again == 0 || try == tries || method == http.MethodPost && path != graphqlPath && !limited {
			return nil, last
		}
		if err := c.wait(ctx, again); err != nil {
			return nil, err
		}
	}
}

// limited reports whether the forge limits the rate of requests, and for how long.
func (c *Client) limited(r reply) (until time.Duration, limited bool) {
	if r.status != http.StatusForbidden && r.status != http.StatusTooManyRequests {
		return 0, false
	}
	if n, err := strconv.Atoi(r.header.Get("Retry-After")); err == nil && n >= 0 {
		return time.Duration(n) * time.Second, true
	}
	for _, name := range []string{"X-RateLimit-Reset", "RateLimit-Reset"} {
		left := r.header.Get(strings.TrimSuffix(name, "Reset") + "Remaining")
		if at, err := strconv.ParseInt(r.header.Get(name), 10, 64); err == nil && (left == "0" ||
			r.status == http.StatusTooManyRequests) {
			return max(time.Unix(at, 0).Sub(c.now()), 0), true
		}
	}
	return time.Minute, r.status == http.StatusTooManyRequests
}

// statusError is an answer with a status other than 2xx.
type statusError struct {
	status int
	says   string
	reason error // a *belay.Error
}

func (e *statusError) Error() string { return e.reason.Error() }

func (e *statusError) Unwrap() error { return e.reason }

// status returns the HTTP status of an error; 0 if it has none.
func status(err error) int {
	var s *statusError
	if errors.As(err, &s) {
		return s.status
	}
	return 0
}

// refusal converts an answer to an error with advice.
func (c *Client) refusal(r reply, method, path string) error {
	e := &statusError{status: r.status, says: saying(r.body)}
	refuse := func(code belay.Code, try, what string, args ...any) error {
		if e.says != "" {
			what, args = what+": %s", append(args, e.says)
		}
		e.reason = belay.Refuse(code, try, what, args...)
		return e
	}
	host := belay.VisibleLine(c.Host)
	if until, limited := c.limited(r); limited {
		return refuse(belay.CodeBusy, "repeat it then: nothing is done twice", "%s takes no more requests until %s", host,
			c.now().Add(until).UTC().Format("15:04:05 UTC"))
	}
	switch {
	case r.status == http.StatusUnauthorized:
		return refuse(belay.CodeCannot, tools[c.Kind].login(c.Host)+", or renew the token", "%s does not accept who you are (%s)",
			host, c.Via)
	case r.status == http.StatusForbidden:
		return refuse(belay.CodeCannot, "give the token the right to write pull requests and issues, or ask an owner of the repository",
			"you may not do this on %s/%s", host, c.Path)
	case r.status == http.StatusNotFound || r.status == http.StatusGone:
		return refuse(belay.CodeNotFound,
			"check the remote's address; a token that may not see a private repository gets this answer too",
			"%s has no %s", host, c.Path)
	case r.status >= 300 && r.status < 400:
		return refuse(belay.CodeCannot, "git remote set-url to its new address", "%s/%s has moved", host, c.Path)
	case r.status == http.StatusConflict || r.status == http.StatusUnprocessableEntity || r.status == http.StatusBadRequest ||
		r.status == http.StatusRequestEntityTooLarge:
		try := "see what it says, above"
		if strings.Contains(e.says, "too long") || r.status == http.StatusRequestEntityTooLarge {
			try = "make it shorter: --limit 30000"
		}
		return refuse(belay.CodeRefused, try, "%s does not take it", host)
	case r.status >= 500:
		return refuse(belay.CodeCannot, "repeat it later: nothing is done twice", "%s failed (status %d)", host, r.status)
	}
	return refuse(belay.CodeCannot, "repeat it, or open it by hand with belay pr --output FILE", "%s %s: status %d", method, path,
		r.status)
}

// saying returns a forge's error message in one line: message and errors of GitHub and Gitea,
// message or error of GitLab, which may be a text, a list or an object.
func saying(body []byte) string {
	var e struct {
		Message any `json:"message"`
		Errors  any `json:"errors"`
		Error   any `json:"error"`
	}
	if json.Unmarshal(body, &e) != nil {
		return ""
	}
	var parts []string
	var take func(v any)
	take = func(v any) {
		switch v := v.(type) {
		case string:
			parts = append(parts, v)
		case []any:
			for _, one := range v {
				take(one)
			}
		case map[string]any:
			if text, ok := v["message"].(string); ok && text != "" {
				parts = append(parts, text)
				return
			}
			field, _ := v["field"].(string)
			code, _ := v["code"].(string)
			if field != "" {
				parts = append(parts, strings.TrimSpace(field+" "+code))
				return
			}
			for _, name := range slices.Sorted(maps.Keys(v)) {
				parts = append(parts, name)
				take(v[name])
			}
		}
	}
	take(e.Message)
	take(e.Errors)
	take(e.Error)
	return belay.Clip(belay.VisibleLine(strings.Join(parts, "; ")), mostSaying)
}

// pages reads all pages of a list.
func pages[T any](ctx context.Context, c *Client, path string) (all []T, err error) {
	join := "?"
	if strings.Contains(path, "?") {
		join = "&"
	}
	size := map[string]string{GitHub: "per_page", GitLab: "per_page", Gitea: "limit"}[c.Kind]
	for page := 1; page <= mostPages; page++ {
		var some []T
		header, err := c.call(ctx, http.MethodGet, fmt.Sprintf("%s%s%s=%d&page=%d", path, join, size, onePage, page), nil, &some)
		if err != nil {
			return nil, err
		}
		if all = append(all, some...); !strings.Contains(header.Get("Link"), `rel="next"`) {
			return all, nil
		}
	}
	return all, belay.Refuse(belay.CodeCannot, "close some of them", "%s has more than %d of these", belay.VisibleLine(c.Host),
		mostPages*onePage)
}
