package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"sync/atomic"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/belay-dev/belay/internal/app"
	"github.com/belay-dev/belay/internal/belay"
)

// Options configures a server. Open opens the repository for each request, so that a server that
// runs for days uses the current config and records.
type Options struct {
	Version string
	Open    func(context.Context) (*app.Service, error)
	Dir     string // paths in requests are relative to it
	User    string // who answers, for the record
}

// server is the state that the handlers share.
type server struct {
	Options
	questions questions
}

// instructions is what a client may show to its model. It is short, because it is part of every
// prompt.
const instructions = `Belay supervises work in this git repository.
Before a risky change call snapshot: it captures all files, the index and HEAD, and changes nothing.
Before you say that work is done call check and fix what it rejects; fix_prompt explains the last rejection.
undo and decide ask the person at the client. You cannot answer for them, and must not work around them.`

// New returns a server with belay's tools, resources and prompts.
func New(o Options) *sdk.Server {
	s := &server{Options: o}
	out := sdk.NewServer(&sdk.Implementation{Name: "belay", Title: "belay", Version: o.Version}, &sdk.ServerOptions{
		Instructions: instructions,
		Capabilities: &sdk.ServerCapabilities{Tools: &sdk.ToolCapabilities{}, Resources: &sdk.ResourceCapabilities{},
			Prompts: &sdk.PromptCapabilities{}},
		// Results are about this user's repository and may change at any time.
		SetCacheable: func(_ context.Context, _ sdk.Request, c *sdk.Cacheable) { c.CacheScope = "private" },
	})
	s.addTools(out)
	s.addResources(out)
	s.addPrompts(out)
	return out
}

// drainTime is how long calls may continue after the end of the input, so that a script that sends
// its requests and closes its output still gets the answers. Calls that take longer are stopped,
// because the client has gone.
const drainTime = 30 * time.Second

// Stdio serves one client on standard input and output until it disconnects or ctx ends.
func Stdio(ctx context.Context, o Options, in io.ReadCloser, out io.WriteCloser) error {
	input := &drainingReader{ReadCloser: in, answered: make(chan struct{}, 1)}
	err := New(o).Run(ctx, &sdk.IOTransport{Reader: input, Writer: messageWriter{out, input}})
	if err == nil || errors.Is(err, io.EOF) || errors.Is(err, context.Canceled) {
		return nil
	}
	return &belay.Error{Code: belay.CodeCannot, What: "the connection to the MCP client broke", Err: err,
		Try: "agents and editors start belay mcp and send one JSON-RPC message a line (docs/mcp.md)"}
}

// drainingReader delays the end of the input until all calls received before it are answered, at
// most for drainTime.
type drainingReader struct {
	io.ReadCloser
	line      []byte        // the part of the current message that was read
	openCalls atomic.Int64  // unanswered calls
	answered  chan struct{} // a message was written
}

func (l *drainingReader) Read(p []byte) (int, error) {
	n, err := l.ReadCloser.Read(p)
	for rest := p[:n]; len(rest) > 0; {
		line, after, ended := bytes.Cut(rest, []byte("\n"))
		if l.line = append(l.line, line...); ended || len(l.line) > sdk.DefaultMaxLineLength {
			calls, _ := countCalls(l.line)
			l.openCalls.Add(calls)
			l.line = l.line[:0]
		}
		rest = after
	}
	if n > 0 || err == nil {
		return n, nil // the error will be returned again
	}
	for over := time.After(drainTime); l.openCalls.Load() > 0; {
		select {
		case <-l.answered:
		case <-over:
			return 0, err
		}
	}
	return 0, err
}

// messageWriter is the server's output. Each write is a complete message.
type messageWriter struct {
	io.WriteCloser
	to *drainingReader
}

func (a messageWriter) Write(p []byte) (int, error) {
	n, err := a.WriteCloser.Write(p)
	_, given := countCalls(p)
	if a.to.openCalls.Add(-given); err != nil {
		a.to.openCalls.Store(0) // nobody reads the answers
	}
	select {
	case a.to.answered <- struct{}{}:
	default:
	}
	return n, err
}

// countCalls returns the number of calls and of answers in a JSON-RPC message or list of messages.
func countCalls(line []byte) (calls, given int64) {
	type message struct {
		ID, Result, Error json.RawMessage
		Method            string
	}
	list := make([]message, 1)
	if json.Unmarshal(line, &list[0]) != nil && json.Unmarshal(line, &list) != nil {
		return 0, 0
	}
	for _, m := range list {
		switch {
		case m.Method != "" && m.ID != nil:
			calls++
		case m.Method == "" && (m.Result != nil || m.Error != nil):
			given++
		}
	}
	return calls, given
}
