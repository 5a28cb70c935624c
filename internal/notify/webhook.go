package notify

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/fsroot"
)

// Headers of a request.
const (
	HeaderSignature = "Belay-Signature" // t=SECONDS,v1=HEX: see Sign
	HeaderDelivery  = "Belay-Delivery"  // the delivery's ID
	HeaderEvent     = "Belay-Event"
)

// SecretEnv is the default environment variable of the secret.
const SecretEnv = "BELAY_WEBHOOK_SECRET"

const (
	requestTime = 10 * time.Second
	leastSecret = 16 // bytes
	mostSecret  = 64 << 10
)

// Webhook is an address that accepts deliveries as JSON by POST. The zero value has no address.
type Webhook struct {
	address string
	secret  []byte
	now     func() time.Time
}

// NewWebhook returns the webhook at an address: https, or http on this machine. The secret is the
// content of file, or, if that is "", of the environment variable env, without trailing line ends;
// it must have at least 16 bytes. Errors have CodeUsage and contain neither the secret nor the
// address, which may contain a token.
func NewWebhook(address, env, file string, getenv func(string) string) (Webhook, error) {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" {
		return Webhook{}, belay.Refuse(belay.CodeUsage, "https://HOST/PATH", "the webhook's address is no https address")
	}
	if u.Scheme == "http" && !loopback(u.Hostname()) {
		return Webhook{}, belay.Refuse(belay.CodeUsage, "use https", "the webhook's address is http, and not on this machine")
	}
	from := env
	secret := []byte(getenv(env))
	if file != "" {
		from = file
		if secret, err = fsroot.ReadUserFile(file, mostSecret); err != nil {
			return Webhook{}, &belay.Error{Code: belay.CodeUsage, What: "the webhook's secret cannot be read", Err: err}
		}
	}
	secret = bytes.TrimRight(secret, "\r\n")
	if len(secret) < leastSecret {
		return Webhook{}, belay.Refuse(belay.CodeUsage, "openssl rand -hex 32 makes one",
			"the webhook's secret in %s has %s, and needs %d", belay.VisibleLine(from), belay.CountOf(len(secret), "byte"), leastSecret)
	}
	return Webhook{address: address, secret: secret, now: time.Now}, nil
}

func loopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// Set reports whether there is an address.
func (w Webhook) Set() bool { return w.address != "" }

// Sign returns the signature header of a body sent at a time: the seconds since 1970, and the
// HMAC-SHA256, in hex, of these seconds, a full stop and the body.
func Sign(secret []byte, at time.Time, body []byte) string {
	seconds := strconv.FormatInt(at.Unix(), 10)
	mac := hmac.New(sha256.New, secret)
	mac.Write([]byte(seconds + "."))
	mac.Write(body)
	return "t=" + seconds + ",v1=" + hex.EncodeToString(mac.Sum(nil))
}

// Verify checks a request like a receiver: the signature must be made with the secret, and its time
// must be within the tolerance.
func Verify(secret []byte, header string, body []byte, now time.Time, tolerance time.Duration) error {
	stamp, _, _ := strings.Cut(strings.TrimPrefix(header, "t="), ",")
	seconds, err := strconv.ParseInt(stamp, 10, 64)
	if err != nil || !hmac.Equal([]byte(header), []byte(Sign(secret, time.Unix(seconds, 0), body))) {
		return errors.New("the signature is not of this secret and body")
	}
	if age := now.Sub(time.Unix(seconds, 0)); age > tolerance || age < -tolerance {
		return fmt.Errorf("the signature is %s old", age)
	}
	return nil
}

// Send posts a delivery once. Any status but 2xx is an error, including redirects, which are not
// followed. The error does not contain the address.
func (w Webhook) Send(ctx context.Context, d Delivery) error {
	body, err := json.Marshal(d)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, requestTime)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, w.address, bytes.NewReader(body))
	if err != nil {
		return errors.New("the webhook's address cannot be read")
	}
	for key, value := range map[string]string{"Content-Type": "application/json", "User-Agent": "belay", HeaderDelivery: d.ID,
		HeaderEvent: d.Event, HeaderSignature: Sign(w.secret, w.now(), body)} {
		req.Header.Set(key, value)
	}
	// Not the default transport: closing its idle connections can break a request that another Send makes.
	client := &http.Client{Transport: http.DefaultTransport.(*http.Transport).Clone(),
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	defer client.CloseIdleConnections()
	res, err := client.Do(req)
	if err != nil {
		var where *url.Error
		if errors.As(err, &where) {
			err = where.Err
		}
		return fmt.Errorf("the webhook cannot be reached: %w", err)
	}
	defer res.Body.Close()
	_, _ = io.Copy(io.Discard, io.LimitReader(res.Body, mostSecret))
	if res.StatusCode/100 != 2 {
		return fmt.Errorf("the webhook answered %d %s", res.StatusCode, http.StatusText(res.StatusCode))
	}
	return nil
}

func escape(s string) string { return url.PathEscape(s) }
