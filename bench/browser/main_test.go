// Package browser tests belay's pages in a real browser, as described in docs/ui.md. It needs
// Chromium (make ui installs it on Debian) and BELAY_BROWSER=1.
package browser

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// story is a repository with belay, and a browser that opened the link.
type story struct {
	t     *testing.T
	dir   string
	belay string
	base  string
	ctx   context.Context

	server *exec.Cmd
}

var built = os.Getenv("BELAY_BROWSER_BINARY")

func newStory(t *testing.T, files map[string]string) *story {
	t.Helper()
	if os.Getenv("BELAY_BROWSER") == "" {
		t.Skip("a browser is not asked for: make ui")
	}
	s := &story{t: t, dir: filepath.Join(t.TempDir(), "shop"), belay: built}
	if s.belay == "" {
		t.Fatal("BELAY_BROWSER_BINARY names no belay: make ui")
	}
	t.Setenv("HOME", t.TempDir())
	for name, text := range files {
		s.write(name, text)
	}
	s.run("git", "init", "-q", "-b", "main")
	s.run("git", "config", "user.name", "Ada")
	s.run("git", "config", "user.email", "ada@shop.example")
	s.run("git", "add", "-A")
	s.run("git", "commit", "-q", "-m", "begin")
	return s
}

func (s *story) write(name, text string) {
	s.t.Helper()
	path := filepath.Join(s.dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		s.t.Fatal(err)
	}
	mode := os.FileMode(0o644)
	if strings.HasSuffix(name, ".sh") {
		mode = 0o755
	}
	if err := os.WriteFile(path, []byte(text), mode); err != nil {
		s.t.Fatal(err)
	}
}

func (s *story) run(name string, args ...string) string {
	s.t.Helper()
	c := exec.Command(name, args...)
	c.Dir = s.dir
	out, err := c.CombinedOutput()
	if err != nil && name == "git" {
		s.t.Fatalf("%s %v: %v\n%s", name, args, err, out)
	}
	return string(out)
}

// open starts the server and a browser, in the given colour scheme and width, and opens the link.
func (s *story) open(scheme string, width int64, more ...string) {
	s.t.Helper()
	link := s.serve("0", more...)
	alloc, cancel := chromedp.NewExecAllocator(context.Background(), append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.NoSandbox, chromedp.WindowSize(int(width), 900))...)
	s.t.Cleanup(cancel)
	ctx, done := chromedp.NewContext(alloc)
	s.t.Cleanup(done)
	ctx, end := context.WithTimeout(ctx, 8*time.Minute)
	s.t.Cleanup(end)
	s.ctx = ctx
	chromedp.ListenTarget(ctx, func(ev any) {
		if e, ok := ev.(*runtime.EventExceptionThrown); ok {
			s.t.Errorf("a script failed: %s", e.ExceptionDetails.Error())
		}
	})
	// Chromium's window is never under 500 pixels wide; its screen can be.
	s.do(emulation.SetDeviceMetricsOverride(width, 900, 1, false), emulation.SetEmulatedMedia().WithFeatures([]*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}),
		chromedp.Navigate(link), shown("h1"))
}

// serve starts the server on a port, and returns the link that it printed.
func (s *story) serve(port string, more ...string) string {
	s.t.Helper()
	c := exec.Command(s.belay, append([]string{"ui", "--port", port}, more...)...)
	c.Dir = s.dir
	out, err := c.StdoutPipe()
	if err != nil {
		s.t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		s.t.Fatal(err)
	}
	s.server = c
	s.t.Cleanup(s.stop)
	link, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		s.t.Fatal(err)
	}
	u, err := url.Parse(strings.TrimSpace(link))
	if err != nil {
		s.t.Fatal(err)
	}
	s.base = "http://" + u.Host
	return u.String()
}

// stop kills the server, like a closed terminal.
func (s *story) stop() {
	_ = s.server.Process.Kill()
	_ = s.server.Wait()
}

func (s *story) do(actions ...chromedp.Action) {
	s.t.Helper()
	if err := chromedp.Run(s.ctx, actions...); err != nil {
		s.t.Fatal(err)
	}
}

// visit opens a page and waits for a selector. If a document is replaced while chromedp asks for
// its nodes, chromedp sometimes waits for ever: the page is then opened again, at most twice.
func (s *story) visit(page, has string) {
	s.t.Helper()
	var err error
	for range 3 {
		ctx, end := context.WithTimeout(s.ctx, 20*time.Second)
		err = chromedp.Run(ctx, chromedp.Navigate(s.base+page), shown(has))
		end()
		if err == nil {
			return
		}
		var is string
		_ = chromedp.Run(s.ctx, chromedp.Evaluate(`location.href + " " + document.readyState`, &is))
		s.t.Logf("%s: %v; the browser has %s", page, err, is)
	}
	s.t.Fatal(err)
}

// shown waits until a CSS selector matches something visible. A search (chromedp's default) is
// answered from a document that may be replaced by then, and sometimes hung.
func shown(selector string) chromedp.Action { return chromedp.WaitVisible(selector, chromedp.ByQuery) }

// click clicks the first match of a CSS selector.
func click(selector string) chromedp.Action { return chromedp.Click(selector, chromedp.ByQuery) }

// clickPath clicks the first match of an XPath.
func clickPath(path string) chromedp.Action {
	return chromedp.Click(fmt.Sprintf("document.evaluate(%q, document, null, 9).singleNodeValue", path), chromedp.ByJSPath)
}

// typed types into the field matched by a CSS selector.
func typed(selector, text string) chromedp.Action {
	return chromedp.SendKeys(selector, text, chromedp.ByQuery)
}

func (s *story) text(selector string) (text string) {
	s.t.Helper()
	s.do(chromedp.Text(selector, &text, chromedp.ByQuery))
	return text
}

// until waits for a text in the page, which updates itself.
func (s *story) until(selector, want string) {
	s.t.Helper()
	s.wait(selector, want, func(text string) bool { return strings.Contains(text, want) })
}

// wait waits until the text matched by a CSS selector satisfies holds. Evaluate fails while one
// page replaces another.
func (s *story) wait(selector, want string, holds func(text string) bool) {
	s.t.Helper()
	for end := time.Now().Add(60 * time.Second); ; time.Sleep(50 * time.Millisecond) {
		var got string
		err := chromedp.Run(s.ctx, chromedp.Evaluate(fmt.Sprintf("document.querySelector(%q)?.innerText ?? ''", selector), &got))
		if err == nil && holds(got) {
			return
		}
		if time.Now().After(end) {
			s.t.Fatalf("%s: not %q (%v):\n%s", selector, want, err, got)
		}
	}
}

// inReadme are the pictures in docs/pictures.
var inReadme = []string{"gate", "comment", "split"}

// picture saves a screenshot in the folder BELAY_PICTURES, if that is set.
func (s *story) picture(name string) {
	s.t.Helper()
	dir := os.Getenv("BELAY_PICTURES")
	if dir == "" {
		return
	}
	var shot []byte
	take := chromedp.FullScreenshot(&shot, 100)
	if slices.Contains(inReadme, name) { // what fits on a screen
		take = chromedp.CaptureScreenshot(&shot)
	}
	s.do(take)
	if err := os.WriteFile(filepath.Join(dir, name+".png"), shot, 0o644); err != nil {
		s.t.Fatal(err)
	}
}

var shop = map[string]string{
	"price.go": "package shop\n\n// Total adds the prices of a cart up, in cents.\nfunc Total(prices []int) int {\n\tsum := 0\n\tfor _, p := range prices {\n\t\tsum += p\n\t}\n\treturn sum\n}\n",
	"check.sh": "#!/bin/sh\n! grep -q 'return 0' price.go\n",
	"good.sh": "#!/bin/sh\nsed -i 's/sum += p$/sum += max(p, 0)/; s/in cents/in cents; a negative price counts nothing/' price.go\n" +
		"echo 'Negative prices count nothing now.'\n",
	"bad.sh": "#!/bin/sh\necho 'I will simplify it.'\nsleep 1\nsed -i 's/return sum/return 0/' price.go\necho '<script>document.title=\"ran\"</script> done'\n",
}

// TestTaskToTheEnd watches a task live to its gate, decides it on the page, and undoes the result.
func TestTaskToTheEnd(t *testing.T) {
	s := newStory(t, shop)
	s.open("light", 1200)
	if got := s.text("main"); !strings.Contains(got, "No task here yet") {
		t.Errorf("%s", got)
	}
	running := make(chan string, 1)
	go func() {
		running <- s.run(s.belay, "run", "count negative prices as nothing", "--as-it-is", "--files", "price.go", "--retries", "1",
			"--test", "sh check.sh", "--", "sh", "-c", "[ -e ok ] && sh good.sh || sh bad.sh")
	}()
	s.until("main", "T1")
	s.do(click(`a[href$="/task/T1"]`), shown("#request"))
	s.until("main", "Attempt 2")
	s.until("main", "Waiting for you")
	<-running
	if s.title() == "ran" {
		t.Error("what the agent printed ran as a script")
	}
	s.picture("gate")

	// The differences between the attempt and the state before, by words and side by side.
	s.do(click(`.attempt a[href*="/diff"]`), shown(".code"))
	if got := s.text(".code"); !strings.Contains(got, "return 0") {
		t.Errorf("%s", got)
	}
	s.do(click(`a[href*="view=split"]`), shown(".code.split"))
	s.picture("split")
	s.visit("/r/1/task/T1", "#message-1")

	// A key moves to the button without deciding; Enter decides. Text in a form stays when the page
	// updates.
	s.run("touch", "ok")
	s.do(typed("#message-1", "negative prices, not all"), chromedp.Evaluate("document.activeElement.blur()", nil),
		chromedp.KeyEvent("g"))
	if got := s.focused(); !strings.HasPrefix(got, "guide") {
		t.Fatalf("the key for guide is on %q", got)
	}
	s.do(chromedp.KeyEvent("\r"))
	s.until("main", "accepted")
	s.until("main", "negative prices, not all")
	s.picture("accepted")
	s.visit("/r/1/diff?from=T1", "ins")
	if got := s.text(".code"); !strings.Contains(got, "max(p, 0)") {
		t.Errorf("marked as new: %s", got)
	}
	s.picture("diff")

	// Restore the first state, with a preview; undo reverts that.
	s.visit("/r/1/snapshots", "table")
	s.picture("snapshots")
	s.do(clickPath(`//tr[contains(., "before")]//a[contains(., "restore")]`), shown("button.final"))
	if got := s.text("main"); !strings.Contains(got, "price.go") || !strings.Contains(s.run("cat", "price.go"), "max(") {
		t.Errorf("the preview: %s", got)
	}
	s.do(click("button.final"), shown("table"))
	if strings.Contains(s.run("cat", "price.go"), "max(") {
		t.Error("it was not restored")
	}
	s.do(click(`a[href$="what=undo"]`), shown("button.final"), click("button.final"), shown("table"))
	if !strings.Contains(s.run("cat", "price.go"), "max(") {
		t.Error("undo did not restore it")
	}
	s.visit("/r/1/figures", "main svg")
	s.picture("figures")
	s.visit("/r/1/", "table")
	s.picture("overview")
}

func (s *story) title() (title string) {
	s.do(chromedp.Title(&title))
	return title
}

func (s *story) focused() (text string) {
	s.do(chromedp.Evaluate("document.activeElement.innerText", &text))
	return text
}

// TestDarkNarrow views the pages in the dark theme and on a narrow screen, and aborts a task there.
func TestDarkNarrow(t *testing.T) {
	s := newStory(t, shop)
	s.run(s.belay, "run", "count negative prices as nothing", "--as-it-is", "--retries", "0", "--test", "sh check.sh", "--", "sh", "bad.sh")
	s.open("dark", 400)
	for _, page := range []string{"/r/1/", "/r/1/?state=waiting", "/r/1/task/T1", "/r/1/task/T1/output?attempt=1", "/r/1/task/T1/record", "/r/1/task/T1/pull",
		"/r/1/diff?from=T1", "/r/1/diff?from=T1&view=split", "/r/1/diff?from=T1&path=price.go", "/r/1/snapshots", "/r/1/figures", "/r/1/restore?what=undo",
		"/r/1/sessions", "/r/1/prune", "/r/1/task/T9"} {
		var width [2]int
		s.visit(page, "h1")
		s.do(chromedp.Evaluate("[document.documentElement.scrollWidth, innerWidth]", &width))
		if width[1] != 400 || width[0] > 400 {
			t.Errorf("%s takes %d pixels of %d", page, width[0], width[1])
		}
		s.accessible(page)
	}
	s.visit("/r/1/task/T1", "#message-1")
	s.picture("narrow")

	// A decision that ends the task needs a confirmation.
	s.do(click(`button[value="abort"]`), shown(`input[name="sure"] ~ button`))
	s.picture("sure")
	s.accessible("abort?")
	s.do(click("button.final"))
	for end := time.Now().Add(time.Minute); ; time.Sleep(100 * time.Millisecond) {
		if strings.Contains(s.run(s.belay, "task", "list"), "aborted") {
			break
		}
		if time.Now().After(end) {
			t.Fatal("the task was not aborted")
		}
	}
}

// accessible reports problems that axe-core, at BELAY_AXE, finds on the current page.
func (s *story) accessible(page string) {
	s.t.Helper()
	script, err := os.ReadFile(os.Getenv("BELAY_AXE"))
	if err != nil {
		s.t.Fatalf("axe-core: make ui: %v", err)
	}
	var found []string
	s.do(chromedp.Evaluate(string(script)+";0", nil), chromedp.Evaluate(
		`axe.run().then(r => r.violations.flatMap(v => v.nodes.map(n => v.id + ": " + n.target.join(" ") + ": " + n.failureSummary)))`, &found,
		func(p *runtime.EvaluateParams) *runtime.EvaluateParams { return p.WithAwaitPromise(true) }))
	for _, f := range found {
		s.t.Errorf("%s: %s", page, f)
	}
}

// reads is an agent that follows a review, and breaks the file until there is one.
const reads = `if grep -q 'negative ones only'; then sed -i 's/return 0/return sum/' price.go; sh good.sh; else sh bad.sh; fi`

// keyDown presses a key that the page handles itself: chromedp.KeyEvent would also type its letter,
// which a browser with a keyboard does not.
func keyDown(key string) chromedp.Action {
	return input.DispatchKeyEvent(input.KeyRawDown).WithKey(key)
}

// TestReview comments on lines, by mouse and by keyboard; the comments survive a reload and a
// restart of the server. It sends them, and the next attempt takes them up.
func TestReview(t *testing.T) {
	s := newStory(t, shop)
	s.run(s.belay, "run", "count negative prices as nothing", "--as-it-is", "--files", "price.go", "--retries", "0", "--test", "sh check.sh",
		"--", "sh", "-c", reads)
	s.open("light", 1200)
	attempt := func() {
		s.visit("/r/1/task/T1", "#request")
		s.do(click(`.attempt a[href*="/diff"]`), shown("#comment-form"))
	}
	attempt()
	s.do(clickPath(`//tr[contains(., "return 0")]/td[@class="n"][2]`), shown("tr #comment-form"),
		typed("#comment-text", "Count the negative ones only as nothing."))
	s.picture("comment")
	s.do(click("#comment-form button"), shown(".remark .said"))
	if got := s.text(".remark"); !strings.Contains(got, "negative ones only") {
		t.Errorf("%s", got)
	}
	s.do(chromedp.Evaluate("document.activeElement.blur()", nil), keyDown("c"), chromedp.KeyEvent("3"), chromedp.KeyEvent("\t"),
		chromedp.KeyEvent("\t"), chromedp.KeyEvent("Why is this <b>in cents</b>?"))
	s.picture("keyboard")
	s.do(chromedp.KeyEvent("\t"), chromedp.KeyEvent("\r"))
	s.until(".note", "2 comments not sent yet")
	s.do(chromedp.Reload())
	s.until(".note", "2 comments not sent yet")
	s.accessible("diff with comments")

	s.stop()
	s.open("light", 1200)
	attempt()
	s.until(".note", "2 comments not sent yet")
	s.visit("/r/1/task/T1", "#words")
	s.picture("review")
	s.accessible("task with comments")
	s.do(clickPath(`//li[contains(., "in cents")]//button`))
	s.wait(".review", "one comment less", func(text string) bool { return text != "" && !strings.Contains(text, "in cents") })
	s.do(shown("#words"))
	if got := s.text(".review"); strings.Contains(got, "in cents") || !strings.Contains(got, "price.go:") {
		t.Errorf("after one was removed:\n%s", got)
	}
	s.do(typed("#words", "Nearly."), click(`button[value="reject"]`))
	s.until("main", "accepted")
	if got := s.run("cat", "price.go"); !strings.Contains(got, "max(p, 0)") {
		t.Errorf("the comment did not reach the agent:\n%s", got)
	}
	if got := s.run("cat", ".belay/reviews/_/T1/review-cycle-1.md"); !strings.Contains(got, "path: price.go\n") || !strings.Contains(got, "negative ones only") ||
		!strings.Contains(got, "verdict: reject") || !strings.Contains(got, "Nearly.") {
		t.Errorf("%s", got)
	}
	s.visit("/r/1/task/T1", "#cycles")
	s.picture("reviewed")
	s.accessible("task with a review")
}

// TestRestart stops the server while a page is open, and starts it again on the same port: the page says what to do.
func TestRestart(t *testing.T) {
	s := newStory(t, shop)
	s.open("light", 400)
	s.until("#live", "live")
	s.stop()
	s.until("#live", "no answer")
	s.serve(strings.TrimPrefix(s.base, "http://127.0.0.1:"))
	s.until("#live", "open its new link")
	var width int
	s.do(chromedp.Evaluate("document.documentElement.scrollWidth", &width))
	if width > 400 {
		t.Errorf("the page takes %d pixels of 400", width)
	}
	s.accessible("after a restart")
}

// TestWithoutScripts reads the pages, comments and decides in a browser without scripts.
func TestWithoutScripts(t *testing.T) {
	s := newStory(t, shop)
	s.run(s.belay, "run", "count negative prices as nothing", "--as-it-is", "--files", "price.go", "--retries", "0", "--test", "sh check.sh",
		"--", "sh", "-c", reads)
	s.open("light", 1000)
	s.do(emulation.SetScriptExecutionDisabled(true))
	s.visit("/r/1/", "table")
	s.press(`a[href$="/task/T1"]`, "#request")
	s.press(`.attempt a[href*="/diff"]`, "#comment-form")
	s.do(typed(`[name="line"]`, "9"), typed("#comment-text", "Say so."))
	s.press("#comment-form button", ".remark .said")
	s.press("[data-up]", "#message-1")
	s.do(typed("#message-1", "negative ones only"))
	s.press(`button[value="guide"]`, "#request")
	for end := time.Now().Add(time.Minute); !strings.Contains(s.run(s.belay, "show", "T1"), "passed (2 attempts"); time.Sleep(100 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal(s.run(s.belay, "show", "T1"))
		}
	}
}

// press clicks a match and waits for a selector on the next page, both without scripts in the page.
func (s *story) press(on, then string) {
	s.t.Helper()
	s.do(click(on), shown(then))
}

// hook calls belay hook with an event of a session, like an agent.
func (s *story) hook(event, more string) {
	s.t.Helper()
	c := exec.Command(s.belay, "hook", "claude")
	c.Dir = s.dir
	c.Stdin = strings.NewReader(fmt.Sprintf(`{"hook_event_name":%q,"session_id":"s","cwd":%q%s}`, event, s.dir, more))
	if out, err := c.CombinedOutput(); err != nil {
		s.t.Fatalf("%s: %v\n%s", event, err, out)
	}
}

// TestSession views what an agent did in an interactive session, and undoes a turn there; a
// person's edit stays.
func TestSession(t *testing.T) {
	s := newStory(t, shop)
	s.open("light", 1000)
	s.visit("/r/1/sessions", "h1")
	s.until("main", "No session yet")
	for turn, edit := range []string{"count negative prices as nothing", "and say so in the docs"} {
		call := fmt.Sprintf(`,"tool_name":"Edit","tool_use_id":"%d","tool_input":{"file_path":"price.go"}`, turn)
		s.hook("UserPromptSubmit", fmt.Sprintf(`,"prompt":%q`, edit))
		s.hook("PreToolUse", call)
		if turn == 0 {
			s.run("sh", "good.sh")
		} else {
			s.write("docs/prices.md", "Negative prices count nothing.\n")
		}
		s.hook("PostToolUse", call)
		s.write(fmt.Sprintf("mine-%d.txt", turn), "a person's\n")
	}
	s.until("main", "and say so in the docs") // the list updates itself
	s.do(click(`a[href*="/session/"]`), shown("#turn-2"))
	if got := s.text("main"); !strings.Contains(got, "changed by a person") || !strings.Contains(got, "docs/prices.md") {
		t.Errorf("%s", got)
	}
	s.picture("session")
	s.accessible("session")
	s.do(click(`#turn-2 a[href*="what=turn"]`), shown("button.final"))
	if got := s.text("main"); !strings.Contains(got, "docs/prices.md") || !strings.Contains(got, "mine-1.txt") || !strings.Contains(got, "belay redo") {
		t.Errorf("the preview: %s", got)
	}
	s.picture("turn")
	s.accessible("the preview of an undo")
	s.do(click("button.final"))
	s.until("main", "The changes were reversed")
	if got := s.run("ls", "docs", "mine-0.txt", "mine-1.txt"); strings.Contains(got, "prices.md") || !strings.Contains(got, "mine-1.txt") {
		t.Errorf("after the undo: %s", got)
	}
	if got := s.text("#turn-2"); !strings.Contains(got, "undone") {
		t.Errorf("%s", got)
	}
	s.do(click(`a[href$="what=redo"]`), shown("button.final"), click("button.final"), shown("table"))
	if got := s.run("ls", "docs"); !strings.Contains(got, "prices.md") {
		t.Errorf("after the redo: %s", got)
	}
}

// TestTrees views tasks in their own worktrees, and the order in which they are merged.
func TestTrees(t *testing.T) {
	s := newStory(t, shop)
	for _, task := range []string{"W1", "W2"} {
		out := s.run(s.belay, "run", "write "+task+".txt", "--as-it-is", "--worktree", "--task", task, "--files", task+".txt", "--test", "true",
			"--", "sh", "-c", "echo x > "+task+".txt")
		if !strings.Contains(out, "accepted") {
			t.Fatal(out)
		}
	}
	s.open("light", 1000)
	s.visit("/r/1/", "#trees")
	if got := s.text("main"); !strings.Contains(got, "number 2") || !strings.Contains(got, "tests all 2 together") {
		t.Errorf("%s", got)
	}
	s.picture("trees")
	s.accessible("trees")
}

// TestImages views an image before and after, and the two overlaid.
func TestImages(t *testing.T) {
	square := func(c color.Color) string {
		var b bytes.Buffer
		m := image.NewRGBA(image.Rect(0, 0, 40, 40))
		draw.Draw(m, m.Bounds(), image.NewUniform(c), image.Point{}, draw.Src)
		if err := png.Encode(&b, m); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	s := newStory(t, map[string]string{"logo.png": square(color.Black)})
	s.run(s.belay, "snapshot", "take", "-m", "before")
	s.write("logo.png", square(color.RGBA{R: 200, A: 255}))
	s.open("light", 1000)
	var widths []int
	var opacity string
	s.visit("/r/1/snapshots", "table")
	s.press(`td a[href*="/diff"]`, ".onion-skin input")
	s.do(chromedp.Evaluate(`Promise.all([...document.images].map((i) => i.decode())).then(() => [...document.images].map((i) => i.naturalWidth))`, &widths,
		func(p *runtime.EvaluateParams) *runtime.EvaluateParams { return p.WithAwaitPromise(true) }),
		chromedp.Evaluate(`(() => { const s = document.querySelector(".onion-skin input"); s.value = 30; s.dispatchEvent(new Event("input"));
			return getComputedStyle(document.images[1]).opacity })()`, &opacity))
	if fmt.Sprint(widths) != "[40 40]" || opacity != "0.3" {
		t.Errorf("%v %s", widths, opacity)
	}
	s.picture("images")
	s.accessible("images")
}

// TestFigures measures waiting times on a task with three attempts and 2,000 changed lines, and
// limits the size of its pages. Times are only printed: docs/ui.md has those of an idle machine.
func TestFigures(t *testing.T) {
	var old, new_ strings.Builder
	for i := range 1000 {
		fmt.Fprintf(&old, "price of item %d is %d cents\n", i, i*7)
		fmt.Fprintf(&new_, "price of item %d is %d cents and %d mils\n", i, i*7, i)
	}
	s := newStory(t, map[string]string{"prices.txt": old.String(), "new.txt": new_.String(), "check.sh": "#!/bin/sh\n[ -e enough ]\n"})
	s.run(s.belay, "run", "give the prices in cents and mils", "--as-it-is", "--files", "prices.txt", "--retries", "2", "--test", "sh check.sh",
		"--", "sh", "-c", "cp new.txt prices.txt; echo $BELAY_ATTEMPT >> prices.txt; echo done")
	s.open("light", 1200)

	// The rest of the file is loaded while scrolling.
	s.visit("/r/1/diff?from=T1", "[data-more]")
	all := "" // innerText omits what is scrolled away
	for part := 0; !strings.Contains(all, "price of item 999 is 6993 cents and 999 mils"); part++ {
		if part == 20 {
			t.Fatal("20 parts of 2,000 lines did not show the last one")
		}
		s.do(chromedp.ScrollIntoView("[data-more]", chromedp.ByQuery),
			chromedp.Poll(fmt.Sprintf(`document.querySelector(".patch").textContent.length > %d`, len([]rune(all))), nil),
			chromedp.TextContent(".patch", &all, chromedp.ByQuery))
	}
	if strings.Count(all, "price of item 500 is 3500 cents and") != 1 {
		t.Errorf("a line is there %d times", strings.Count(all, "price of item 500 is 3500 cents and"))
	}
	for _, page := range []string{"/r/1/", "/r/1/task/T1", "/r/1/diff?from=T1", "/r/1/diff?from=T1&view=split", "/r/1/diff?from=T1&path=prices.txt"} {
		const visits = 9
		var response, paint, click []float64 // milliseconds: until the response, from then until it is painted, from a click until the result shows
		var bytes int
		for range visits {
			var f struct {
				Response, Paint, Click float64
				Bytes                  int
			}
			s.visit(page, "h1")
			s.do(chromedp.Sleep(300*time.Millisecond), chromedp.Evaluate(`(async () => {
				const n = performance.getEntriesByType("navigation")[0];
				const all = [n, ...performance.getEntriesByType("resource")].filter((e) => !e.name.includes("/events"));
				const paint = performance.getEntriesByName("first-contentful-paint")[0];
				const frame = () => new Promise((done) => { requestAnimationFrame(() => setTimeout(done)); setTimeout(done, 5000); });
				await frame();
				const from = performance.now();
				(document.querySelector(".code td.n:nth-child(2)") ?? document.querySelector("details summary") ?? document.querySelector("main")).click();
				await frame();
				return { Response: n.responseEnd - n.requestStart, Paint: paint.startTime - n.responseEnd, Click: performance.now() - from,
					Bytes: all.reduce((sum, e) => sum + e.transferSize, 0) };
			})()`, &f, func(p *runtime.EvaluateParams) *runtime.EvaluateParams { return p.WithAwaitPromise(true) }))
			response, paint, click = append(response, f.Response), append(paint, f.Paint), append(click, f.Click)
			bytes = max(bytes, f.Bytes)
		}
		for _, all := range [][]float64{response, paint, click} {
			slices.Sort(all)
		}
		t.Logf("%-40s medians of %d: response %5.1f ms, first paint %5.1f ms later (%.1f to %.1f), a click %4.1f ms; %d bytes", page, visits,
			response[visits/2], paint[visits/2], paint[0], paint[visits-1], click[visits/2], bytes)
		if bytes > 150_000 {
			t.Errorf("%s weighs %d bytes", page, bytes)
		}
	}
}
