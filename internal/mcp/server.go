package mcp

import (
	"context"
	"errors"
	"io"
	"sync/atomic"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/belay-dev/belay/internal/app"
	"github.com/belay-dev/belay/internal/belay"
)

// Options say for whom and where a server works. Open opens the repository anew for each request, so that a server
// that runs for days sees the config and the records of now.
type Options struct {
	Version string
	Open    func(context.Context) (*app.Desk, error)
	Dir     string // paths in requests are relative to it
	User    string // who answers, for the record
}

// server is what the handlers share.
type server struct {
	Options
	asked questions
}

// instructions are what a client may show to its model. Short: they are in every prompt.
const instructions = `Belay supervises work in this git repository.
Before a risky change call snapshot: it captures all files, the index and HEAD, and changes nothing.
Before you say that work is done call check and fix what it rejects; fix_prompt explains the last rejection.
undo and decide ask the person at the client. You cannot answer for them, and must not work around them.`

// New makes a server with belay's tools, resources and prompts.
func New(o Options) *sdk.Server {
	s := &server{Options: o}
	out := sdk.NewServer(&sdk.Implementation{Name: "belay", Title: "belay", Version: o.Version}, &sdk.ServerOptions{
		Instructions: instructions,
		Capabilities: &sdk.ServerCapabilities{Tools: &sdk.ToolCapabilities{}, Resources: &sdk.ResourceCapabilities{},
			Prompts: &sdk.PromptCapabilities{}},
		// What is listed and read is of this user's repository, and may be another a moment later.
		SetCacheable: func(_ context.Context, _ sdk.Request, c *sdk.Cacheable) { c.CacheScope = "private" },
	})
	s.addTools(out)
	s.addResources(out)
	s.addPrompts(out)
	return out
}

// farewell is how long calls may still work when the input has ended: a script that sends its requests and closes its
// output reads the answers all the same. What works longer is stopped: the client is gone.
const farewell = 2 * time.Second

// Stdio serves one client on standard input and output until it goes away or ctx ends.
func Stdio(ctx context.Context, o Options, in io.ReadCloser, out io.WriteCloser) error {
	s, input := New(o), &lasting{ReadCloser: in}
	s.AddReceivingMiddleware(func(next sdk.MethodHandler) sdk.MethodHandler {
		return func(ctx context.Context, method string, req sdk.Request) (sdk.Result, error) {
			input.working.Add(1)
			defer input.working.Add(-1)
			return next(ctx, method, req)
		}
	})
	err := s.Run(ctx, &sdk.IOTransport{Reader: input, Writer: out})
	if err == nil || errors.Is(err, io.EOF) || errors.Is(err, context.Canceled) {
		return nil
	}
	return &belay.Error{Code: belay.CodeCannot, What: "the connection to the MCP client broke", Err: err,
		Try: "agents and editors start belay mcp and send one JSON-RPC message a line (docs/mcp.md)"}
}

// lasting is an input whose end comes when the calls are done that came before it, or after farewell.
type lasting struct {
	io.ReadCloser
	working atomic.Int64
}

func (l *lasting) Read(p []byte) (int, error) {
	n, err := l.ReadCloser.Read(p)
	if n > 0 || err == nil {
		return n, nil // an error comes again
	}
	const step = 20 * time.Millisecond
	idle := 0
	for wait := farewell; wait > 0 && idle < 2; wait -= step { // twice: the last message may be on its way
		if time.Sleep(step); l.working.Load() == 0 {
			idle++
		}
	}
	return 0, err
}
