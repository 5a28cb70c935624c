package telemetry

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/belay-dev/belay/internal/belay"
)

const (
	maxReply  = 1 << 20
	firstWait = 200 * time.Millisecond // before a retry, if the collector gives no time
)

// Result is the result of sending one signal of one task.
type Result struct {
	Signal   Signal `json:"signal"`
	Requests int    `json:"requests"`           // accepted ones
	Items    int    `json:"items"`              // sent in them
	Rejected int64  `json:"rejected,omitempty"` // items, as reported by the collector
	Message  string `json:"said,omitempty"`     // the collector's message about that
}

// Send sends the items of one signal of the entries after a number, one request after the other,
// until ctx ends. After an error the rest is not sent; the error contains no header and nothing of
// the items.
func Send(ctx context.Context, to Settings, s Signal, d Data, after int) (Result, error) {
	r := Result{Signal: s}
	bodies, err := d.Batches(s, after)
	if err != nil {
		return r, err
	}
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	defer client.CloseIdleConnections()
	for _, body := range bodies {
		reply, err := to.post(ctx, client, s, body)
		if err != nil {
			return r, fmt.Errorf("%s were not sent: %w", s, err)
		}
		r.Requests++
		p := readReply(reply)
		r.Rejected += p.rejected
		if p.message != "" {
			r.Message = p.message
		}
	}
	r.Items = d.countItems(s, after)
	return r, nil
}

func (d Data) countItems(s Signal, after int) int {
	switch s {
	case Traces:
		return len(itemsAfter(d.Spans, after, func(s Span) int { return s.seq }))
	case Logs:
		return len(itemsAfter(d.Logs, after, func(r LogRecord) int { return r.seq }))
	}
	if d.LastSeq <= after {
		return 0
	}
	return len(d.Metrics)
}

// post sends one request, and retries while the collector is busy and there is time.
func (to Settings) post(ctx context.Context, client *http.Client, s Signal, body []byte) ([]byte, error) {
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	_, err := z.Write(body)
	if err := errors.Join(err, z.Close()); err != nil {
		return nil, err
	}
	for wait := firstWait; ; wait *= 2 {
		reply, again, err := to.postOnce(ctx, client, s, packed.Bytes())
		if err == nil || again < 0 {
			return reply, err
		}
		again = max(again, wait)
		if end, ok := ctx.Deadline(); ok && time.Now().Add(again).After(end) {
			return nil, err
		}
		select {
		case <-time.After(again):
		case <-ctx.Done():
			return nil, err
		}
	}
}

// postOnce sends a request once. It may be retried after wait, unless that is negative.
func (to Settings) postOnce(ctx context.Context, client *http.Client, s Signal, body []byte) (reply []byte, wait time.Duration, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, to.Endpoints[s], bytes.NewReader(body))
	if err != nil {
		return nil, -1, errors.New("the address of the collector cannot be read")
	}
	for key, value := range to.Headers[s] {
		req.Header.Set(key, value)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Content-Encoding", "gzip")
	req.Header.Set("User-Agent", "belay")
	res, err := client.Do(req)
	if err != nil {
		var where *url.Error
		if errors.As(err, &where) {
			err = where.Err // the address may contain a password
		}
		return nil, -1, fmt.Errorf("the collector cannot be reached: %w", err)
	}
	defer res.Body.Close()
	reply, err = io.ReadAll(io.LimitReader(res.Body, maxReply))
	if res.StatusCode/100 == 2 {
		return reply, -1, nil // accepted, even if the answer was cut off
	}
	switch res.StatusCode {
	case http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		wait = retryAfter(res.Header.Get("Retry-After"), time.Now())
	default:
		wait = -1
	}
	return nil, wait, errors.Join(fmt.Errorf("the collector answered %d %s", res.StatusCode, http.StatusText(res.StatusCode)), err)
}

// retryAfter parses the header: seconds or a date.
func retryAfter(value string, now time.Time) time.Duration {
	if n, err := strconv.Atoi(value); err == nil && n >= 0 {
		return time.Duration(min(n, 3600)) * time.Second
	}
	if at, err := http.ParseTime(value); err == nil {
		return max(0, at.Sub(now))
	}
	return 0
}

// partialSuccess is what a collector rejected of an accepted request.
type partialSuccess struct {
	rejected int64
	message  string
}

// readReply parses a collector's answer; zero if it cannot be parsed.
func readReply(reply []byte) (p partialSuccess) {
	var answer struct {
		Partial struct {
			Spans  number `json:"rejectedSpans"`
			Points number `json:"rejectedDataPoints"`
			Logs   number `json:"rejectedLogRecords"`
			Said   string `json:"errorMessage"`
		} `json:"partialSuccess"`
	}
	if json.Unmarshal(reply, &answer) != nil {
		return p
	}
	p.rejected = int64(max(answer.Partial.Spans, answer.Partial.Points, answer.Partial.Logs, 0))
	p.message = belay.Clip(belay.VisibleLine(answer.Partial.Said), 300)
	return p
}
