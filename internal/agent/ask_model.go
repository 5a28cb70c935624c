package agent

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/config"
)

const (
	maxReply = 10 << 20 // bytes of a response body
	maxTries = 3        // per request, when the endpoint is busy
	maxWait  = 30 * time.Second
)

type chatMessage struct {
	Role    string `json:"role"`
	Content string `json:"content"`
}

// askModel asks an endpoint that speaks the chat completions protocol.
func (q Question) askModel(ctx context.Context, to config.Endpoint, prompt string) ([]byte, error) {
	address, err := url.Parse(to.Address())
	if err != nil || address.Host == "" || address.Scheme != "https" && address.Scheme != "http" {
		return nil, fmt.Errorf("%s is not a model's address", belay.VisibleLine(to.Address()))
	}
	key := ""
	if name := to.KeyEnv(); name != "" {
		if key = os.Getenv(name); key == "" {
			return nil, fmt.Errorf("the environment variable %s with its key is not set", belay.VisibleLine(name))
		}
	}
	body, err := json.Marshal(map[string]any{
		"model": q.Reviewer.Model, "temperature": 0, "messages": []chatMessage{{Role: "user", Content: prompt}},
	})
	if err != nil {
		return nil, err
	}
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	defer client.CloseIdleConnections()
	for try := 1; ; try++ {
		text, wait, err := postChat(ctx, client, address.JoinPath("chat", "completions").String(), key, body)
		if err == nil || wait < 0 || try == maxTries {
			return text, err
		}
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return nil, timeoutError(ctx, q.Reviewer.Timeout)
		}
	}
}

// postChat sends one request. With wait >= 0 the request may be repeated after that time. No error
// contains the key or the request.
func postChat(ctx context.Context, client *http.Client, address, key string, body []byte) (text []byte, wait time.Duration, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, address, bytes.NewReader(body))
	if err != nil {
		return nil, -1, err
	}
	req.Header.Set("Content-Type", "application/json")
	if key != "" {
		req.Header.Set("Authorization", "Bearer "+key)
	}
	res, err := client.Do(req)
	if err != nil {
		var where *url.Error
		if errors.As(err, &where) {
			err = where.Err
		}
		return nil, time.Second, fmt.Errorf("the endpoint cannot be reached: %w", err)
	}
	defer res.Body.Close()
	reply, err := io.ReadAll(io.LimitReader(res.Body, maxReply+1))
	switch {
	case err != nil:
		return nil, time.Second, fmt.Errorf("the endpoint's answer was cut off: %w", err)
	case len(reply) > maxReply:
		return nil, -1, fmt.Errorf("the endpoint's answer is longer than %d MiB", maxReply>>20)
	case res.StatusCode != http.StatusOK:
		wait = -1
		if res.StatusCode == http.StatusTooManyRequests || res.StatusCode >= 500 {
			wait = retryAfter(res.Header)
		}
		return nil, wait, fmt.Errorf("the endpoint answered %s: %s", res.Status, lastLine(reply))
	}
	text, err = chatContent(reply)
	return text, -1, err
}

func retryAfter(h http.Header) time.Duration {
	if n, err := strconv.Atoi(h.Get("Retry-After")); err == nil && n >= 0 {
		return min(time.Duration(n)*time.Second, maxWait)
	}
	return time.Second
}

// chatContent extracts the model's text from a chat completion.
func chatContent(reply []byte) ([]byte, error) {
	var envelope struct {
		Choices []struct {
			Message struct {
				Content *string `json:"content"`
			} `json:"message"`
		} `json:"choices"`
	}
	if err := json.Unmarshal(reply, &envelope); err != nil {
		return nil, fmt.Errorf("the endpoint's answer does not follow the protocol: %w", err)
	}
	if len(envelope.Choices) == 0 || envelope.Choices[0].Message.Content == nil ||
		strings.TrimSpace(*envelope.Choices[0].Message.Content) == "" {
		return nil, errors.New("the endpoint's answer has no text")
	}
	return []byte(*envelope.Choices[0].Message.Content), nil
}
