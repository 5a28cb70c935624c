package agent

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/belay-dev/belay/internal/lazyregexp"
)

// obstacles are the messages of agents that cannot work until a person does something.
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

// ObstacleText returns why an agent that ended with an error cannot work until a person changes
// something; "" when words, its last message, does not show that.
func ObstacleText(words string) string {
	for _, o := range obstacles {
		if o.says.MatchString(words) {
			return fmt.Sprintf("%s: %s", o.what, words)
		}
	}
	return ""
}

// modelRetry is an agent's report that it repeats a request to its model (Claude Code).
type modelRetry struct {
	n, of  int64
	status int64
	why    string
	wait   time.Duration
}

func retryOf(e object) (r modelRetry, ok bool) {
	if e.text("type") != "system" || e.text("subtype") != "api_retry" {
		return modelRetry{}, false
	}
	n := numberReader{object: e}
	r = modelRetry{n: n.count("attempt"), of: n.count("max_retries"), status: n.count("error_status"), why: e.text("error")}
	r.wait = time.Duration(min(n.count("retry_delay_ms"), 24*3600*1000)) * time.Millisecond
	return r, true
}

func (r modelRetry) String() string {
	what := strings.TrimSpace(fmt.Sprintf("%d %s", r.status, strings.ReplaceAll(r.why, "_", " ")))
	if r.status == 0 {
		what = strings.ReplaceAll(r.why, "_", " ")
	}
	return fmt.Sprintf("%s: retry %d of %d in %s", firstText(what, "no answer"), r.n, r.of, r.wait.Round(100*time.Millisecond))
}

// refusedRetries is how often an agent may retry with a rejected key. The second try may use a new
// token; Claude Code retries for three minutes.
const refusedRetries = 3

// hopelessReason returns why a retry will get the same answer; "" when it may succeed.
func (r modelRetry) hopelessReason() string {
	if r.n < refusedRetries || r.status != 401 && r.status != 403 {
		return ""
	}
	return ObstacleText(fmt.Sprintf("%d %s", r.status, strings.ReplaceAll(r.why, "_", " ")))
}

// How agents report in a result, or beside their stream, that a writing tool was not allowed:
// Gemini CLI and OpenCode do not have the tool then, and Codex logs it.
var (
	writeTools  = lazyregexp.Of(`edit write bash patch multiedit`) // of OpenCode
	noTool      = lazyregexp.New(`^(?:\{"message":"|Error: )?Tool \\?"(replace|write_file|edit|run_shell_command)\\?" not found`)
	codexDenied = lazyregexp.New(`(?m)^\d{4}-[\dT:.-]+Z ERROR codex_core::tools::router: error=(\w+) rejected: .*` +
		`(?:blocked by read-only sandbox|rejected by user approval settings)`)
)

// deniedTools collects the tools that an agent was not allowed to use.
type deniedTools struct{ tools []string }

func (d *deniedTools) addTool(tool string) {
	if tool != "" && !slices.Contains(d.tools, tool) {
		d.tools = append(d.tools, tool)
	}
}

// CallBegan implements Listener.
func (d *deniedTools) CallBegan(c Call) {
	args, _ := c.Args.(map[string]any)
	if tool := object(args).text("tool"); c.Tool == "invalid" && writeTools.Has(tool) {
		d.addTool(tool)
	}
}

// CallEnded implements Listener.
func (d *deniedTools) CallEnded(e CallResult) {
	if found := noTool.FindStringSubmatch(e.Output); e.Failed && found != nil {
		d.addTool(found[1])
	}
}

// DeniedTools returns the names of the tools that an agent was not allowed to use, according to its
// output: without a person to ask, agents deny what needs permission and continue.
func DeniedTools(output []byte) []string {
	var d deniedTools
	r := StreamReader{Listener: &d, OnDenied: d.addTool}
	_, _ = r.Write(output)
	r.Close()
	if found := codexDenied.FindStringSubmatch(string(output)); found != nil {
		d.addTool(found[1])
	}
	return d.tools
}

// FinalError returns the error with which an agent's stream ends; "" if it ends otherwise. Qwen
// Code and pi exit with status 0 after an error of their model.
func FinalError(output io.Reader) string {
	last := ""
	r := StreamReader{Listener: &callListener{onCall: func() { last = "" }}, OnText: func(s StreamText) {
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

// readDenials reads the denied calls of a result.
func (r *StreamReader) readDenials(e object) {
	list, _ := e["permission_denials"].([]any)
	for _, one := range list {
		if m, ok := one.(map[string]any); ok {
			r.OnDenied(strings.TrimSpace(object(m).text("tool_name")))
		}
	}
	if d := e.object("data"); e.text("type") == "tool.execution_complete" && d.object("error").text("code") == "denied" { // Copilot
		r.OnDenied(firstText(d.object("toolTelemetry").object("properties").text("command"), "a tool"))
	}
}
