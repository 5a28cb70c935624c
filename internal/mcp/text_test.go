package mcp

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/testutil"
)

const key = "AKIAIOSFODNN7ABCDEFG"

func TestSecretsAreMasked(t *testing.T) {
	dir, o := waiting(t, "T1")
	write(t, dir, "b.txt", "aws_key = \""+key+"\"\n")
	c := client(t, o, versions[0], nil)
	snap := good(t, callTool(t, c, "snapshot", args{"message": "with " + key}))
	r := callTool(t, c, "diff", args{"from": good(t, callTool(t, c, "status", nil))["root"]})
	bad(t, r, "")
	info, err := service(t, o).Session.Load("T1")
	if err != nil {
		t.Fatal(err)
	}
	r = callTool(t, c, "diff", args{"from": string(info.State.Before), "to": snap["id"], "patch": true})
	if all := text(r); !strings.Contains(all, "aws_key") || strings.Contains(all, key) {
		t.Errorf("not masked: %s", all)
	}
	if all, _ := json.Marshal(snap); strings.Contains(string(all), key) {
		t.Errorf("not masked: %s", all)
	}
}

// Masked JSON must stay valid JSON, and masking it again must change nothing.
func FuzzMasked(f *testing.F) {
	f.Add([]byte(`{"a":"` + key + `","b":["\"x\\",1.50,null],"c":"password = \"hunter2hunter2\""}`))
	f.Add([]byte(`{"unclosed": "`))
	f.Add([]byte(`"\`))
	f.Fuzz(func(t *testing.T, text []byte) {
		got := maskJSON(text)
		if json.Valid(text) != json.Valid(got) {
			t.Errorf("%q became %q", text, got)
		}
		if again := maskJSON(got); json.Valid(text) && string(again) != string(maskJSON(again)) {
			t.Errorf("%q became %q", got, again)
		}
	})
}

func TestMaskedLeavesTheRest(t *testing.T) {
	const plain = `{"n":12345678901234567890,"s":"é \" <b>","l":[]}`
	if got := string(maskJSON([]byte(plain))); got != plain {
		t.Error(got)
	}
}

func TestQuestions(t *testing.T) {
	var q questions
	one := q.ask("a")
	for range maxQuestions {
		q.ask("b")
	}
	if known, _ := q.remove(one, "a"); known {
		t.Error("the oldest question was not dropped")
	}
	two := q.ask("c")
	if known, same := q.remove(two, "d"); !known || same {
		t.Error("an answer to another question counts")
	}
	if known, _ := q.remove(two, "c"); known {
		t.Error("an answer counts twice")
	}
	three := q.ask("e")
	q.open[len(q.open)-1].expires = time.Now().Add(-time.Second)
	if known, _ := q.remove(three, "e"); known {
		t.Error("an expired answer counts")
	}
}

// The end of the input, even during a call, must end the server and its work.
func TestStdio(t *testing.T) {
	in, toServer := io.Pipe()
	fromServer, out := io.Pipe()
	done := make(chan error, 1)
	o := options(project(t))
	go func() { done <- Stdio(t.Context(), o, in, out) }()
	c, err := sdk.NewClient(&sdk.Implementation{Name: "test"}, nil).Connect(t.Context(), &sdk.IOTransport{Reader: fromServer, Writer: toServer}, nil)
	if err != nil {
		t.Fatal(err)
	}
	good(t, callTool(t, c, "status", nil))
	_ = toServer.Close()
	select {
	case err := <-done:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(testutil.Patience):
		t.Error("the server does not end")
	}
}

// The end of the input must wait for the answers to the calls before it, even if they start late.
func TestEndOfInput(t *testing.T) {
	const calls = `{"jsonrpc":"2.0","id":1,"method":"a"}` + "\n" + `{"jsonrpc":"2.0","method":"notifications/b"}` + "\n" +
		`[{"id":"x","method":"c"},{"id":7,"result":{}}]` + "\n" + `not JSON` + "\n"
	in := &drainingReader{ReadCloser: io.NopCloser(iotest.HalfReader(strings.NewReader(calls))), answered: make(chan struct{}, 1)}
	out, ended := messageWriter{nopWriter{io.Discard}, in}, make(chan error, 1)
	go func() {
		_, err := io.ReadAll(in)
		ended <- err
	}()
	for deadline := time.Now().Add(testutil.Patience); in.openCalls.Load() != 2; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("%d calls are open", in.openCalls.Load())
		}
	}
	for _, line := range []string{`{"id":1,"result":{}}`, `{"method":"notifications/progress"}`, `{"id":9,"method":"elicitation/create"}`} {
		select {
		case <-ended:
			t.Fatal("the input ended before a call was answered")
		default:
		}
		if _, err := out.Write([]byte(line + "\n")); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := out.Write([]byte(`{"id":"x","error":{"code":-32601}}` + "\n")); err != nil {
		t.Fatal(err)
	}
	select {
	case err := <-ended:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(testutil.Patience):
		t.Error("the input does not end")
	}
}

func TestStdioWithoutMCP(t *testing.T) {
	for _, text := range []string{"hello\n", "{\"jsonrpc\":\n", "{} {}\n"} {
		err := Stdio(t.Context(), options(t.TempDir()), io.NopCloser(strings.NewReader(text)), nopWriter{io.Discard})
		if err != nil && belay.CodeOf(err) != belay.CodeCannot {
			t.Errorf("%q: %v", text, err)
		}
	}
}

type nopWriter struct{ io.Writer }

func (nopWriter) Close() error { return nil }

func TestListen(t *testing.T) {
	for _, addr := range []string{"", "8017", ":8017", "0.0.0.0:0", "[::]:0", "192.0.2.1:0", "example.com:0", "127.0.0.1:99999"} {
		if l, err := Listen(t.Context(), addr); err == nil {
			_ = l.Close()
			t.Errorf("Listen accepts %q", addr)
		}
	}
}

// Both kinds of clients must work over HTTP; requests from foreign web pages must be rejected.
func TestHTTP(t *testing.T) {
	_, o := rolledBack(t)
	l, err := Listen(t.Context(), "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- HTTP(ctx, o, l) }()
	url := "http://" + l.Addr().String() + Path
	for _, v := range slices.Backward(versions) {
		h := &human{action: "accept", content: args{"confirm": true}}
		c, err := sdk.NewClient(&sdk.Implementation{Name: "test"}, h.client()).Connect(t.Context(),
			&sdk.StreamableClientTransport{Endpoint: url, DisableStandaloneSSE: true}, &sdk.ClientSessionOptions{ProtocolVersion: v})
		if err != nil {
			t.Fatal(v, err)
		}
		good(t, callTool(t, c, "status", nil))
		good(t, callTool(t, c, "snapshot", nil))
		if v == versions[0] {
			good(t, callTool(t, c, "undo", nil))
		} else { // without a session the server cannot ask
			bad(t, callTool(t, c, "undo", nil), belay.CodeWaiting)
		}
		_ = c.Close()
	}
	for _, one := range []struct{ host, origin string }{
		{"example.com", ""}, {"example.com:80", ""}, {"127.0.0.1.example.com", ""}, {"", "http://example.com"}, {"", "null"},
		{"", "http://localhost.example.com"}, {"", "%zz"},
	} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader("{}"))
		if err != nil {
			t.Fatal(err)
		}
		if one.host != "" {
			r.Host = one.host
		}
		if one.origin != "" {
			r.Header.Set("Origin", one.origin)
		}
		res, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		_ = res.Body.Close()
		if res.StatusCode != http.StatusForbidden {
			t.Errorf("%+v: %s", one, res.Status)
		}
	}
	stop()
	select {
	case err := <-done:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(testutil.Patience):
		t.Error("the server does not end")
	}
}
