// Package browser drives belay's pages in a real browser: the stories of docs/ui.md. It runs where Chromium is
// installed (make ui installs it on Debian) and asked for with BELAY_BROWSER=1.
package browser

import (
	"bufio"
	"context"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// story is a repository with belay, and a browser that has opened the link.
type story struct {
	t     *testing.T
	dir   string
	belay string
	base  string
	ctx   context.Context
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
func (s *story) open(scheme string, width int64) {
	s.t.Helper()
	c := exec.Command(s.belay, "ui", "--port", "0")
	c.Dir = s.dir
	out, err := c.StdoutPipe()
	if err != nil {
		s.t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() {
		_ = c.Process.Signal(os.Interrupt)
		_ = c.Wait()
	})
	link, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		s.t.Fatal(err)
	}
	u, err := url.Parse(strings.TrimSpace(link))
	if err != nil {
		s.t.Fatal(err)
	}
	s.base = "http://" + u.Host
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
	s.do(emulation.SetEmulatedMedia().WithFeatures([]*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}),
		chromedp.Navigate(u.String()), chromedp.WaitVisible("h1"))
}

func (s *story) do(actions ...chromedp.Action) {
	s.t.Helper()
	if err := chromedp.Run(s.ctx, actions...); err != nil {
		s.t.Fatal(err)
	}
}

func (s *story) text(selector string) (text string) {
	s.t.Helper()
	s.do(chromedp.Text(selector, &text, chromedp.ByQuery))
	return text
}

// until waits for a text to stand in the page, which changes by itself.
func (s *story) until(selector, want string) {
	s.t.Helper()
	for end := time.Now().Add(60 * time.Second); ; time.Sleep(50 * time.Millisecond) {
		var got string
		s.do(chromedp.Evaluate(fmt.Sprintf("document.querySelector(%q)?.innerText ?? ''", selector), &got))
		if strings.Contains(got, want) {
			return
		}
		if time.Now().After(end) {
			s.t.Fatalf("%s has no %q:\n%s", selector, want, got)
		}
	}
}

// picture keeps a screenshot where BELAY_PICTURES names a folder, to be looked at.
func (s *story) picture(name string) {
	s.t.Helper()
	dir := os.Getenv("BELAY_PICTURES")
	if dir == "" {
		return
	}
	var png []byte
	s.do(chromedp.FullScreenshot(&png, 100))
	if err := os.WriteFile(filepath.Join(dir, name+".png"), png, 0o644); err != nil {
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

// TestTaskToTheEnd watches a task live to its gate, decides it on the page, and takes the result back.
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
	s.do(chromedp.Click(`a[href$="/task/T1"]`, chromedp.ByQuery), chromedp.WaitVisible("#request"))
	s.until("main", "Attempt 2")
	s.until("main", "Waiting for you")
	<-running
	if s.title() == "ran" {
		t.Error("what the agent printed ran as a script")
	}
	s.picture("gate")

	// What differs between the attempt and the state before, by words and side by side.
	s.do(chromedp.Click(`.attempt a[href*="/diff"]`, chromedp.ByQuery), chromedp.WaitVisible(".code"))
	if got := s.text(".code"); !strings.Contains(got, "return 0") {
		t.Errorf("%s", got)
	}
	s.do(chromedp.Click(`a[href*="view=split"]`, chromedp.ByQuery), chromedp.WaitVisible(".code.split"))
	s.picture("split")
	s.do(chromedp.Navigate(s.base+"/r/1/task/T1"), chromedp.WaitVisible("#message"))

	// A key moves to the button, and decides nothing by itself; Enter does. What was written stays when the page changes.
	s.run("touch", "ok")
	s.do(chromedp.SendKeys("#message", "negative prices, not all"), chromedp.Evaluate("document.activeElement.blur()", nil),
		chromedp.KeyEvent("g"))
	if got := s.focused(); !strings.HasPrefix(got, "guide") {
		t.Fatalf("the key for guide is on %q", got)
	}
	s.do(chromedp.KeyEvent("\r"))
	s.until("main", "accepted")
	s.until("main", "negative prices, not all")
	s.picture("accepted")
	s.do(chromedp.Navigate(s.base+"/r/1/diff?from=T1"), chromedp.WaitVisible("ins"))
	if got := s.text(".code"); !strings.Contains(got, "max(p, 0)") {
		t.Errorf("marked as new: %s", got)
	}
	s.picture("diff")

	// Back to the state before, with a preview; undo brings it back.
	s.do(chromedp.Navigate(s.base+"/r/1/snapshots"), chromedp.WaitVisible("table"))
	s.picture("snapshots")
	s.do(chromedp.Click(`//tr[contains(., "before")]//a[contains(., "restore")]`, chromedp.BySearch), chromedp.WaitVisible("button.final"))
	if got := s.text("main"); !strings.Contains(got, "price.go") || !strings.Contains(s.run("cat", "price.go"), "max(") {
		t.Errorf("the preview: %s", got)
	}
	s.do(chromedp.Click("button.final", chromedp.ByQuery), chromedp.WaitVisible("table"))
	if strings.Contains(s.run("cat", "price.go"), "max(") {
		t.Error("it was not restored")
	}
	s.do(chromedp.Click(`a[href$="what=undo"]`, chromedp.ByQuery), chromedp.WaitVisible("button.final"),
		chromedp.Click("button.final", chromedp.ByQuery), chromedp.WaitVisible("table"))
	if !strings.Contains(s.run("cat", "price.go"), "max(") {
		t.Error("undo did not bring it back")
	}
	s.do(chromedp.Navigate(s.base+"/r/1/figures"), chromedp.WaitVisible("main svg", chromedp.ByQuery))
	s.picture("figures")
	s.do(chromedp.Navigate(s.base+"/r/1/"), chromedp.WaitVisible("table"))
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

// TestDarkNarrow looks at the pages in the dark theme and on a narrow screen, and aborts a task there.
func TestDarkNarrow(t *testing.T) {
	s := newStory(t, shop)
	s.run(s.belay, "run", "count negative prices as nothing", "--as-it-is", "--retries", "0", "--test", "sh check.sh", "--", "sh", "bad.sh")
	s.open("dark", 400)
	for _, page := range []string{"/r/1/", "/r/1/task/T1", "/r/1/diff?from=T1", "/r/1/diff?from=T1&view=split", "/r/1/snapshots", "/r/1/figures"} {
		var over bool
		s.do(chromedp.Navigate(s.base+page), chromedp.WaitVisible("h1"),
			chromedp.Evaluate("document.documentElement.scrollWidth > innerWidth", &over))
		if over {
			t.Errorf("%s is wider than a narrow screen", page)
		}
	}
	s.do(chromedp.Navigate(s.base+"/r/1/task/T1"), chromedp.WaitVisible("#message"))
	s.picture("narrow")

	// What ends the task is asked for twice.
	s.do(chromedp.Click(`button[value="abort"]`, chromedp.ByQuery), chromedp.WaitVisible(`input[name="sure"] ~ button`))
	s.picture("sure")
	s.do(chromedp.Click("button.final", chromedp.ByQuery))
	for end := time.Now().Add(time.Minute); ; time.Sleep(100 * time.Millisecond) {
		if strings.Contains(s.run(s.belay, "task", "list"), "aborted") {
			break
		}
		if time.Now().After(end) {
			t.Fatal("the task was not aborted")
		}
	}
}
