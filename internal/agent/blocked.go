package agent

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/belay-dev/belay/internal/lazyregexp"
)

// obstacles are reasons for which an agent cannot work until a person does something, as agents say them.
var obstacles = []struct {
	says *lazyregexp.Regexp
	what string
}{
	{lazyregexp.New(`(?i)insufficient_quota|exceeded your current quota|quota (?:exceeded|exhausted)|resource_exhausted|` +
		`credit balance|out of credits?|usage limit|payment required|billing|\b402\b`), "its quota or credit is used up"},
	{lazyregexp.New(`(?i)\b401\b|\b403\b|unauthori[sz]ed|authentication|invalid (?:x-)?api[ -]?key|incorrect api key|` +
		`api[ _-]?key (?:not valid|is missing|not found|required)|not logged in|run /login|please (?:log|sign) in|login required|` +
		`must specify the .{0,40}API_KEY|missing .{0,20}api key|set an auth method`), "it is not logged in, or its key is refused"},
	{lazyregexp.New(`(?i)(?:folder|directory|workspace|project) (?:is )?(?:not trusted|untrusted)|` +
		`untrusted (?:folder|directory|workspace)|` +
		`not inside a trusted directory|trust this (?:folder|directory)|trusted folder`), "it does not trust this folder"},
	{unknownFlag, "it does not know a flag of its command"},
}

var unknownFlag = lazyregexp.New(`(?i)unexpected argument|unknown (?:option|argument|flag)|unrecognized (?:option|argument|subcommand)s?|` +
	`no such option`)

// Obstacle tells why an agent that ended with an error, whose last words are given, could not work and will not
// until a person changes something; "" where that is not known.
func Obstacle(words string) string {
	for _, o := range obstacles {
		if o.says.MatchString(words) {
			return fmt.Sprintf("%s: %s", o.what, words)
		}
	}
	return ""
}

// retry is an agent's note that it asks its model again (Claude Code).
type retry struct {
	n, of  int64
	status int64
	why    string
	wait   time.Duration
}

func retryOf(e object) (r retry, ok bool) {
	if e.text("type") != "system" || e.text("subtype") != "api_retry" {
		return retry{}, false
	}
	n := numbers{of: e}
	r = retry{n: n.count("attempt"), of: n.count("max_retries"), status: n.count("error_status"), why: e.text("error")}
	r.wait = time.Duration(min(n.count("retry_delay_ms"), 24*3600*1000)) * time.Millisecond
	return r, true
}

func (r retry) String() string {
	what := strings.TrimSpace(fmt.Sprintf("%d %s", r.status, strings.ReplaceAll(r.why, "_", " ")))
	if r.status == 0 {
		what = strings.ReplaceAll(r.why, "_", " ")
	}
	return fmt.Sprintf("%s: retry %d of %d in %s", first2(what, "no answer"), r.n, r.of, r.wait.Round(100*time.Millisecond))
}

// refusedRetries is how often an agent may ask again with a key that is refused. The second time may be with a new
// token; Claude Code goes on for three minutes.
const refusedRetries = 3

// hopeless tells why an agent that asks again will get the same answer; "" where it may get another one.
func (r retry) hopeless() string {
	if r.n < refusedRetries || r.status != 401 && r.status != 403 {
		return ""
	}
	return Obstacle(fmt.Sprintf("%d %s", r.status, strings.ReplaceAll(r.why, "_", " ")))
}

// How agents say in a result, or beside their stream, that a tool that writes was not allowed: Gemini CLI and OpenCode have
// no such tool then, and Codex logs it.
var (
	writers     = lazyregexp.Of(`edit write bash patch multiedit`) // of OpenCode
	noTool      = lazyregexp.New(`^(?:\{"message":"|Error: )?Tool \\?"(replace|write_file|edit|run_shell_command)\\?" not found`)
	codexDenied = lazyregexp.New(`(?m)^\d{4}-[\dT:.-]+Z ERROR codex_core::tools::router: error=(\w+) rejected: .*` +
		`(?:blocked by read-only sandbox|rejected by user approval settings)`)
)

// denied takes down the tools that an agent was not allowed to use.
type denied struct{ tools []string }

func (d *denied) add(tool string) {
	if tool != "" && !slices.Contains(d.tools, tool) {
		d.tools = append(d.tools, tool)
	}
}

// Began implements Taker.
func (d *denied) Began(c Call) {
	args, _ := c.Args.(map[string]any)
	if tool := object(args).text("tool"); c.Tool == "invalid" && writers.Has(tool) {
		d.add(tool)
	}
}

// Ended implements Taker.
func (d *denied) Ended(e Ended) {
	if found := noTool.FindStringSubmatch(e.Output); e.Failed && found != nil {
		d.add(found[1])
	}
}

// Denied returns the names of the tools that an agent was not allowed to use, as its output says: without a person there
// to ask, agents deny what needs a permission, and go on.
func Denied(output []byte) []string {
	var d denied
	r := Reader{To: &d, Denied: d.add}
	_, _ = r.Write(output)
	r.Close()
	if found := codexDenied.FindStringSubmatch(string(output)); found != nil {
		d.add(found[1])
	}
	return d.tools
}

// GaveUp returns the error that the last word of an agent's stream is; "" when it is none. Qwen Code and pi end
// with exit status 0 after an error of their model.
func GaveUp(output io.Reader) string {
	last := ""
	r := Reader{To: &lastOf{ended: func() { last = "" }}, Say: func(s StreamText) {
		switch {
		case s.Failed, strings.HasPrefix(s.Text, "[API Error"):
			last = strings.Trim(s.Text, "[]")
		default:
			last = ""
		}
	}}
	_, _ = io.Copy(&r, output)
	r.Close()
	return strings.Join(strings.Fields(last), " ")
}

// denials reads the denied calls of a result.
func (r *Reader) denials(e object) {
	list, _ := e["permission_denials"].([]any)
	for _, one := range list {
		if m, ok := one.(map[string]any); ok {
			r.Denied(strings.TrimSpace(object(m).text("tool_name")))
		}
	}
	if d := e.object("data"); e.text("type") == "tool.execution_complete" && d.object("error").text("code") == "denied" { // Copilot
		r.Denied(first2(d.object("toolTelemetry").object("properties").text("command"), "a tool"))
	}
}
