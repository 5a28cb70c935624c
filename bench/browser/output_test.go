package browser

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// events is an agent with Claude Code's output: text, tool calls, their results, one of them an
// error.
const events = `cat >/dev/null
cat <<'END'
{"type":"system","subtype":"init","session_id":"s1","model":"claude-sonnet-4-5"}
{"type":"assistant","message":{"id":"m1","content":[{"type":"text","text":"I look at the prices first."},{"type":"tool_use","id":"t1","name":"Read","input":{"file_path":"price.go"}}]},"session_id":"s1"}
{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"t1","content":"package shop\n<b>not bold</b>\n"}]},"session_id":"s1"}
{"type":"assistant","message":{"id":"m2","content":[{"type":"tool_use","id":"t2","name":"Bash","input":{"command":"go vet ./..."}}]},"session_id":"s1"}
{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"t2","content":"exit status 1: no go.mod","is_error":true}]},"session_id":"s1"}
{"type":"assistant","message":{"id":"m3","content":[{"type":"tool_use","id":"t3","name":"Edit","input":{"file_path":"price.go","old_string":"sum += p","new_string":"sum += max(p, 0)"}}]},"session_id":"s1"}
{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"t3","content":"The file price.go has been updated."}]},"session_id":"s1"}
{"type":"result","subtype":"success","result":"Negative prices count nothing now.","session_id":"s1"}
END
sh good.sh >/dev/null
`

// TestOutputBySteps reads an agent's prompt and steps: results are folded, and open by keyboard.
func TestOutputBySteps(t *testing.T) {
	s := newStory(t, shop)
	s.write("events.sh", events)
	s.run("git", "add", "-A")
	s.run("git", "commit", "-q", "-m", "an agent")
	s.run(s.belay, "run", "count negative prices as nothing", "--as-it-is", "--files", "price.go", "--test", "sh check.sh", "--", "sh", "events.sh")
	s.open("light", 1200)
	s.visit("/r/1/task/T1", "#request")
	s.do(click(`.attempt a[href*="/output"]`), shown("ol.output"))
	steps := s.text("ol.output")
	for _, want := range []string{"I look at the prices first.", "Read price.go", "Bash go vet ./...", "failed", "Edit price.go", "Negative prices count nothing now."} {
		if !strings.Contains(steps, want) {
			t.Errorf("%q is missing in\n%s", want, steps)
		}
	}
	if strings.Contains(steps, "not bold") || strings.Contains(steps, "no go.mod") {
		t.Errorf("results are not folded:\n%s", steps)
	}
	s.do(chromedp.Focus("ol.output details summary", chromedp.ByQuery), chromedp.KeyEvent("\r"))
	s.until("ol.output", "<b>not bold</b>")
	s.do(chromedp.Focus("details.sent summary", chromedp.ByQuery), chromedp.KeyEvent("\r"))
	s.until("details.sent", "count negative prices as nothing")
	s.picture("output")
	s.accessible("output")
	s.visit("/r/1/snapshots", "svg.moments circle")
}
