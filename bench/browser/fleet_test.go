package browser

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
)

// fleet is a test with a Temporal server, a worker, and two remotes, of which only the worker has
// clones.
type fleet struct {
	*story
	git    string // folder of the remotes
	server *exec.Cmd
}

func newFleet(t *testing.T) *fleet {
	t.Helper()
	s := newStory(t, shop)
	server := os.Getenv("BELAY_TEMPORAL")
	if server == "" {
		t.Skip("no Temporal server is given in BELAY_TEMPORAL: make fleet-ui")
	}
	place := filepath.Dir(s.dir)
	f := &fleet{story: s, git: filepath.Join(place, "git")}
	s.write("tasks.md", "- [ ] T001 [P] Write the first word to word.txt\n- [ ] T002 [P] Write the second word to word.txt\n")
	s.run("git", "add", "-A")
	s.run("git", "commit", "-q", "-m", "tasks")
	for _, name := range []string{"shop", "docs"} {
		s.run("git", "init", "-q", "--bare", "-b", "main", f.remote(name))
		s.run("git", "push", "-q", f.remote(name), "main")
	}
	var address string
	f.server, address = f.start("Temporal server on ", server, "-port", "0", "-file", filepath.Join(place, "temporal.db"))
	address, _, _ = strings.Cut(address, ",")
	for name, value := range map[string]string{"TEMPORAL_ADDRESS": address, "TEMPORAL_NAMESPACE": "default", "USER": "ada",
		"BELAY_STATE_HOME": filepath.Join(place, "state"), "XDG_CACHE_HOME": filepath.Join(place, "cache")} {
		t.Setenv(name, value)
	}
	f.start("worker w1: ready", f.program(), "worker", "--name", "w1", "--home", filepath.Join(place, "w1"), "--slots", "2", "--trust", f.git+"/")
	for end := time.Now().Add(time.Minute); ; time.Sleep(100 * time.Millisecond) { // until the server has its new namespace
		out := f.run(f.program(), "list")
		if strings.Contains(out, "no tasks") {
			return f
		}
		if time.Now().After(end) {
			t.Fatal(out)
		}
	}
}

func (f *fleet) remote(name string) string { return filepath.Join(f.git, name+".git") }

func (f *fleet) program() string { return filepath.Join(filepath.Dir(f.belay), "belay-fleet") }

// start starts a program until the test ends, and returns the text after ready in the line that it
// prints when it is ready.
func (f *fleet) start(ready, name string, args ...string) (*exec.Cmd, string) {
	f.t.Helper()
	c := exec.Command(name, args...)
	c.Dir = f.dir
	log, err := os.Create(filepath.Join(f.t.TempDir(), "log"))
	if err != nil {
		f.t.Fatal(err)
	}
	c.Stderr = log
	out, err := c.StdoutPipe()
	if err != nil {
		f.t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		f.t.Fatal(err)
	}
	f.t.Cleanup(func() {
		_ = c.Process.Kill()
		_ = c.Wait()
		if said, _ := os.ReadFile(log.Name()); f.t.Failed() {
			f.t.Logf("%s %s:\n%s", filepath.Base(name), args[0], said)
		}
	})
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		if _, rest, ok := strings.Cut(lines.Text(), ready); ok {
			go func() {
				for lines.Scan() { // so that it does not block
				}
			}()
			return c, strings.TrimSpace(rest)
		}
	}
	f.t.Fatalf("%s %v: it ended before it was ready", name, args)
	return nil, ""
}

// submit submits tasks from the clone, with another remote.
func (f *fleet) submit(remote string, args ...string) {
	f.t.Helper()
	f.run("git", "remote", "remove", "origin") // the first time there is none
	f.story.run("git", "remote", "add", "origin", f.remote(remote))
	f.story.run("git", "fetch", "-q", "origin")
	if out := f.run(f.program(), append([]string{"submit"}, args...)...); !strings.Contains(out, ": submitted") {
		f.t.Fatal(out)
	}
}

// run runs a program in the clone and returns its output, followed by its error if it fails.
func (f *fleet) run(name string, args ...string) string {
	c := exec.Command(name, args...)
	c.Dir = f.dir
	out, err := c.CombinedOutput()
	if err != nil {
		return fmt.Sprintf("%s\n%v", out, err)
	}
	return string(out)
}

// loaded reloads a page that does not update itself until it has a text.
func (f *fleet) loaded(page, want string) {
	f.t.Helper()
	for end := time.Now().Add(2 * time.Minute); ; time.Sleep(200 * time.Millisecond) {
		f.visit(page, "h1")
		got := f.text("main")
		if strings.Contains(strings.Join(strings.Fields(got), " "), want) {
			return
		}
		if time.Now().After(end) {
			f.t.Fatalf("%s: not %q:\n%s", page, want, got)
		}
	}
}

// looks opens pages in both themes, on wide and narrow screens.
func (f *fleet) looks(pages map[string]string) {
	f.t.Helper()
	for _, scheme := range []string{"light", "dark"} {
		for _, width := range []int64{1200, 400} {
			f.screen(scheme, width)
			for page, name := range pages {
				var taken [2]int
				f.visit(page, "h1")
				f.do(chromedp.Evaluate(`for (const d of document.querySelectorAll("details.over")) d.open = true;
					[document.documentElement.scrollWidth, innerWidth]`, &taken))
				if taken[1] != int(width) || taken[0] > int(width) {
					f.t.Errorf("%s takes %d pixels of %d", page, taken[0], taken[1])
				}
				f.accessible(page)
				if name != "" {
					f.picture(fmt.Sprintf("fleet-%s-%s-%d", name, scheme, width))
				}
			}
		}
	}
	f.screen("light", 1200)
}

// screen sets the colour scheme and the width.
func (f *fleet) screen(scheme string, width int64) {
	f.t.Helper()
	f.do(emulation.SetDeviceMetricsOverride(width, 900, 1, false),
		emulation.SetEmulatedMedia().WithFeatures([]*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}))
}

// TestFleet uses two repositories with tasks on another machine: it comments on a line of rejected
// work, which the next attempt takes up; accepts other rejected work with a reason; and retries a
// task of a feature that conflicts with another one. Then it views the pages without the server,
// and without a remote.
func TestFleet(t *testing.T) {
	f := newFleet(t)
	f.open("light", 1200, "--fleet", f.remote("shop"), f.remote("docs"))
	if got := f.text("main"); !strings.Contains(got, "Repositories") || !strings.Contains(got, f.remote("docs")) {
		t.Errorf("%s", got)
	}
	f.visit("/r/1/", "h1")
	if got := f.text("main"); !strings.Contains(got, "No task here yet: belay-fleet submit") {
		t.Errorf("%s", got)
	}
	f.accessible("no task")
	words := []string{"--files", "price.go", "--retries", "0", "--test", "sh check.sh"}
	f.submit("shop", append(append([]string{"In price.go, count a negative price as nothing", "--task", "T1"}, words...), "--", "sh", "-c", reads)...)
	f.until("main", "T1") // the page updates itself
	f.submit("shop", append(append([]string{"In price.go, return 0", "--task", "T2"}, words...), "--", "sh", "bad.sh")...)
	f.submit("docs", "tasks.md", "--feature", "words", "--test", "true", "--", "sh", "-c", "cat > /dev/null; echo $BELAY_TASK > word.txt")
	f.loaded("/", "shop.git 2 2")
	f.loaded("/", "docs.git 1 ")
	f.loaded("/r/2/", "1 gate of the feature")
	f.looks(map[string]string{"/": "home", "/r/1/": "list", "/r/1/task/T1": "task", "/r/1/diff?from=T1": "changes", "/r/1/task/T9": "",
		"/r/2/": "features", "/r/2/feature/words": "feature", "/r/2/feature/none": ""})

	// A comment on a line of the work.
	f.visit("/", "table")
	f.do(click(`a[href="/r/1/"]`), shown("#waiting"), click(`a[href$="/task/T1"]`), shown("#request"), click(`.attempt a[href*="/diff"]`),
		shown("#comment-form"), clickPath(`//tr[contains(., "return 0")]/td[@class="n"][2]`), shown("tr #comment-form"),
		typed("#comment-text", "Count the negative ones only as nothing."), click("#comment-form button"), shown(".remark .said"))
	f.accessible("a comment")
	f.picture("fleet-comment")
	f.visit("/r/1/task/T1", "#words")
	f.do(typed("#words", "Nearly."), click(`button[value="reject"]`))
	f.until("main", "Attempt 2")
	f.until(".facts", "accepted")
	if got := f.run("git", "--git-dir", f.remote("shop"), "show", "belay/t1:price.go"); !strings.Contains(got, "max(p, 0)") {
		t.Errorf("the comment did not reach the agent:\n%s", got)
	}
	if got := f.text("main"); !strings.Contains(got, "reviewed: fail, by ada") {
		t.Errorf("%s", got)
	}
	f.accessible("a reviewed task")

	// Rejected work is accepted. Text in a form stays when the page updates.
	f.visit("/r/1/task/T2", "#request")
	f.do(click("details.over summary"), chromedp.SetValue("details.over select", "custom", chromedp.ByQuery),
		typed("details.over textarea", "it is a test"))
	f.picture("fleet-over")
	f.do(click(`details.over button`))
	f.until(".facts", "accepted")
	f.until("main", "custom: it is a test")
	if got := f.run("git", "--git-dir", f.remote("shop"), "show", "belay/t2:price.go"); !strings.Contains(got, "return 0") {
		t.Errorf("%s", got)
	}

	// The gate of a feature: one task was merged, and the other conflicts with it.
	f.visit("/r/2/", "#waiting")
	f.do(click(`a[href$="/feature/words"]`), shown("#parts"))
	if got := f.text("main"); !strings.Contains(got, "1 of 2 tasks merged") || !strings.Contains(got, "conflicts in word.txt") {
		t.Errorf("%s", got)
	}
	f.do(click(`button[value="drop"]`), shown(`input[name="sure"] ~ button`))
	f.accessible("drop?")
	f.do(click("[data-up]"), shown("#parts"), typed("textarea", "one after the other"), click(`button[value="retry"]`))
	f.until("main", "2 of 2 tasks merged")
	f.accessible("a merged feature")
	if got := f.run("git", "--git-dir", f.remote("docs"), "log", "--format=%s", "main..belay/words"); strings.Count(got, "\n") < 4 {
		t.Errorf("%s", got)
	}

	// Without the server, and then without the remotes, the last known state can be read.
	_ = f.server.Process.Kill()
	f.loaded("/r/1/", "nothing can be decided now")
	f.accessible("no server")
	f.picture("fleet-away")
	if err := os.Rename(f.git, f.git+"-away"); err != nil {
		t.Fatal(err)
	}
	f.loaded("/r/1/", "the remote cannot be read")
	f.visit("/r/1/task/T1", "#attempts")
	f.accessible("no remote")
}
