package forge

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/textproto"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/belay-dev/belay/internal/belay"
)

// tool is a forge's command-line program. It sends any API request as the logged-in user, so the
// requests are the same as over HTTP.
type tool struct {
	name   string
	logged func(host string) []string // arguments of a command that succeeds if somebody is logged in
	lists  bool                       // its output must contain the host
	api    func(p Place, method, path string, body bool) []string
	header bool // it prints status and headers on standard error, not before the body
}

func (t tool) login(host string) string {
	switch t.name {
	case "tea":
		return "tea login add --url https://" + belay.VisibleLine(host)
	}
	return t.name + " auth login --hostname " + belay.VisibleLine(host)
}

var tools = map[string]tool{
	GitHub: {name: "gh", logged: hostname("auth", "status"), api: includes},
	GitLab: {name: "glab", logged: hostname("auth", "status"), api: includes},
	Gitea: {name: "tea", lists: true, header: true,
		logged: func(string) []string { return []string{"login", "list", "--output", "simple"} },
		api: func(p Place, method, path string, body bool) []string {
			args := []string{"api", "-i", "-X", method}
			if body {
				args = append(args, "-d", "@-")
			}
			return append(args, p.API+path)
		}},
}

func hostname(args ...string) func(string) []string {
	return func(host string) []string { return append(slices.Clone(args), "--hostname", host) }
}

func includes(p Place, method, path string, body bool) []string {
	args := []string{"api", "--include", "--hostname", p.Host, "--method", method}
	if body {
		args = append(args, "--input", "-", "--header", "Content-Type: application/json")
	}
	return append(args, strings.TrimPrefix(path, "/"))
}

// program returns a sender that uses the forge's program; nil if it is not installed or nobody is
// logged in.
func program(ctx context.Context, p Place) (sender, string) {
	t := tools[p.Kind]
	path, err := exec.LookPath(t.name)
	if err != nil || !filepath.IsAbs(path) {
		return nil, ""
	}
	out, err := exec.CommandContext(ctx, path, t.logged(p.Host)...).CombinedOutput()
	if err != nil || t.lists && !bytes.Contains(bytes.ToLower(out), []byte(p.Host)) {
		return nil, ""
	}
	return func(ctx context.Context, method, at string, body []byte) (reply, error) {
		ctx, cancel := context.WithTimeout(ctx, 2*callWait)
		defer cancel()
		cmd := exec.CommandContext(ctx, path, t.api(p, method, at, len(body) > 0)...)
		var said, complaint bytes.Buffer
		cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(body), &most{w: &said}, &most{w: &complaint}
		err := cmd.Run()
		text := said.Bytes()
		if t.header {
			head := bytes.ReplaceAll(complaint.Bytes(), []byte("\r\n"), []byte("\n"))
			head, _, _ = bytes.Cut(head[max(bytes.Index(head, []byte("HTTP/")), 0):], []byte("\n\n"))
			text = append(append(bytes.TrimRight(head, "\n"), "\n\n"...), text...)
		}
		r, perr := parseReply(text)
		if perr != nil { // there was no answer
			return r, fmt.Errorf("%s: %w", t.name, errors.Join(err, errors.New(firstLine(complaint.String()))))
		}
		return r, nil
	}, t.name
}

// most limits the size of an answer.
type most struct {
	w *bytes.Buffer
}

func (m *most) Write(p []byte) (int, error) {
	if left := mostReply - m.w.Len(); left < len(p) {
		m.w.Write(p[:max(left, 0)])
		return 0, errors.New("the answer is too large")
	}
	return m.w.Write(p)
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return belay.Clip(belay.VisibleLine(line), mostSaying)
}

// parseReply parses an answer with its status line and headers, as gh, glab and tea print it. It
// skips lines before the status line.
func parseReply(text []byte) (r reply, err error) {
	if at := bytes.Index(text, []byte("HTTP/")); at > 0 && text[at-1] == '\n' {
		text = text[at:]
	}
	in := bufio.NewReader(bytes.NewReader(text))
	line, err := in.ReadString('\n')
	fields := strings.Fields(line)
	if err != nil || len(fields) < 2 || !strings.HasPrefix(fields[0], "HTTP/") {
		return r, errors.New("no status line")
	}
	if r.status, err = strconv.Atoi(fields[1]); err != nil || r.status < 100 || r.status > 599 {
		return r, errors.New("no status")
	}
	header, err := textproto.NewReader(in).ReadMIMEHeader()
	if err != nil && !errors.Is(err, io.EOF) {
		return r, err
	}
	r.header = http.Header(header)
	r.body, err = io.ReadAll(in)
	return r, err
}
