package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/creack/pty"

	"github.com/belay-dev/belay/internal/lazyregexp"
)

// talking describes an agent's interactive session.
type talking struct {
	args   []string                            // of the interactive session
	files  func(root string) map[string]string // more of its config, below the home: answers to first questions
	screen []screen                            // questions that it may ask first, and the answers
	ready  string                              // what it shows when it accepts a prompt, in lower case without spaces
	hooks  string                              // the file of its hooks, below the home
	before string                              // earlier content of that file; "" for none
	quit   string                              // the keys that end it
	plugin [][]string                          // its commands to install the folder plugin (@) and to list what is installed
	lists  string                              // the expected output of the last one
}

// screen is a question at the start, in lower case without spaces, and the keys that answer it.
type screen struct{ shows, keys string }

// arrives is how long an agent may take until it accepts a prompt.
const arrives = 6 * time.Minute

const enter = "\r"

// talkings are the agents with hooks.
func talkings() map[string]talking {
	return map[string]talking{
		"claude": {
			args: []string{"--model", "claude-sonnet-4-5", "--permission-mode", "acceptEdits",
				"--allowedTools", "Bash,Edit,Read,Write"},
			files: func(root string) map[string]string {
				state, _ := json.Marshal(map[string]any{"hasCompletedOnboarding": true, "theme": "dark",
					"customApiKeyResponses": map[string]any{"approved": []string{"unused"}, "rejected": []string{}},
					"projects":              map[string]any{root: map[string]any{"hasTrustDialogAccepted": true}}})
				return map[string]string{".claude.json": string(state)}
			},
			screen: []screen{{"choosethetextstyle", enter}, {"usethisapikey", "1" + enter}, {"trustthe", enter},
				{"pressentertocontinue", enter}},
			ready: "accepteditson", hooks: ".claude/settings.json", quit: "\x03\x03",
			plugin: [][]string{{"plugin", "marketplace", "add", "@"}, {"plugin", "install", "belay@belay"}, {"plugin", "list"}},
			lists:  "belay@belayversion:0.1.0scope:userstatus:✔enabled",
			before: "{\n\t\"includeCoAuthoredBy\": false,\n\t\"hooks\": {},\r\n\t\"spinnerTipsEnabled\":false\n}",
		},
		"codex": {
			args: []string{"--no-daemon", "--no-alt-screen"},
			files: func(root string) map[string]string {
				return map[string]string{".codex/more.toml": "[projects.\"" + root + "\"]\ntrust_level = \"trusted\"\n"}
			},
			screen: []screen{{"hooksneedreview", "2" + enter}, {"doyoutrust", enter}, {"useexistingmodel", "2"}},
			ready:  "askcodextodoanything", hooks: ".codex/hooks.json", quit: "\x03\x03",
			plugin: [][]string{{"plugin", "marketplace", "add", "@"}, {"plugin", "add", "belay@belay"}, {"plugin", "list"}},
			lists:  "belay@belayinstalled,enabled",
			before: "{\"hooks\": {\"Notification\": []} }\n",
		},
		"gemini": {
			args:   []string{"-y", "-m", "gemini-2.5-flash"},
			screen: []screen{{"doyoutrust", enter}},
			ready:  "typeyourmessage", hooks: ".gemini/settings.json", quit: "\x03\x03",
			plugin: [][]string{{"extensions", "link", "@", "--consent"}, {"extensions", "list"}}, lists: "belay(0.1.0)",
		},
		"qwen": {
			args:   []string{"-y"},
			screen: []screen{{"doyoutrust", enter}},
			ready:  "typeyourmessage", hooks: ".qwen/settings.json", quit: "\x03\x03",
			// As Qwen Code writes it: it rewrites a file without a version.
			before: "{\n  \"security\": {\n    \"auth\": {\n      \"selectedType\": \"openai\"\n    }\n  },\n" +
				"  \"telemetry\": {\n    \"enabled\": false\n  },\n  \"model\": {\n    \"skipLoopDetection\": true\n  },\n" +
				"  \"$version\": 4\n}",
		},
		"copilot": {
			args: []string{"--allow-all-tools"}, screen: []screen{{"doyoutrust", enter}, {"trustthefiles", enter}},
			ready: "checkformistakes", hooks: ".copilot/hooks/belay.json", quit: "\x03\x03",
		},
		"opencode": {ready: "askanything", hooks: ".config/opencode/plugins/belay.js", quit: "\x03\x03"},
	}
}

// session is an agent in a pseudo-terminal that answers terminal queries.
type session struct {
	cmd  *exec.Cmd
	tty  *os.File
	mu   sync.Mutex
	said bytes.Buffer
	ends chan struct{}
}

// open starts an agent in a terminal.
func open(cmd *exec.Cmd) (*session, error) {
	tty, err := pty.StartWithSize(cmd, &pty.Winsize{Rows: 50, Cols: 160})
	if err != nil {
		return nil, err
	}
	s := &session{cmd: cmd, tty: tty, ends: make(chan struct{})}
	go func() {
		defer close(s.ends)
		buf := make([]byte, 64<<10)
		for {
			n, err := tty.Read(buf)
			s.mu.Lock()
			s.said.Write(buf[:n])
			s.mu.Unlock()
			s.answer(buf[:n])
			if err != nil {
				return
			}
		}
	}()
	return s, nil
}

// queries are terminal queries and their answers.
var queries = []struct{ asks, is string }{
	{"\x1b[6n", "\x1b[1;1R"}, {"\x1b[c", "\x1b[?62c"}, {"\x1b[0c", "\x1b[?62c"}, {"\x1b[5n", "\x1b[0n"}, {"\x1b[?u", "\x1b[?0u"},
	{"\x1b]10;?", "\x1b]10;rgb:ffff/ffff/ffff\x1b\\"}, {"\x1b]11;?", "\x1b]11;rgb:0000/0000/0000\x1b\\"},
}

func (s *session) answer(said []byte) {
	for _, q := range queries {
		for range bytes.Count(said, []byte(q.asks)) {
			_, _ = io.WriteString(s.tty, q.is)
		}
	}
}

// escapes matches escape sequences and white space.
var escapes = lazyregexp.New(`\x1b\[[0-9;?<>=]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(\x07|\x1b\\)|\x1b[PX^_][^\x1b]*\x1b\\|` +
	`\x1b[()][A-Z0-9]|\x1b.|[\s\x00-\x1f]`)

// shown returns the output from an offset on, in lower case without spaces, and the next offset.
func (s *session) shown(from int) (string, int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return strings.ToLower(escapes.ReplaceAllString(s.said.String()[from:], "")), s.said.Len()
}

func (s *session) keys(text string) {
	for _, k := range text {
		_, _ = io.WriteString(s.tty, string(k))
		time.Sleep(60 * time.Millisecond)
	}
}

// asked answers a question in the output from an offset on, and returns the offset for the next
// one.
func (s *session) asked(t talking, from int) (next int, answered bool) {
	text, _ := s.shown(from)
	for _, q := range t.screen {
		if strings.Contains(text, q.shows) {
			time.Sleep(500 * time.Millisecond)
			_, next = s.shown(from)
			s.keys(q.keys)
			return next, true
		}
	}
	return from, false
}

// still is how long an agent must draw nothing to count as ready.
const still = 3 * time.Second

// arrive answers questions until the agent accepts a prompt, and returns the offset for further
// ones.
func (s *session) arrive(t talking) (from int, err error) {
	drawn, since := 0, time.Now()
	for until := time.Now().Add(arrives); time.Now().Before(until); time.Sleep(200 * time.Millisecond) {
		next, answered := s.asked(t, from)
		text, n := s.shown(0)
		if from = next; answered || n != drawn {
			drawn, since = n, time.Now()
		}
		if strings.Contains(text, t.ready) && time.Since(since) > still {
			return from, nil
		}
	}
	text, _ := s.shown(0)
	return from, fmt.Errorf("it takes no prompt: %s", text)
}

// close ends the agent.
func (s *session) close(t talking) {
	s.keys(t.quit)
	select {
	case <-s.ends:
	case <-time.After(5 * time.Second):
	}
	_ = syscall.Kill(-s.cmd.Process.Pid, syscall.SIGKILL)
	_ = s.tty.Close()
	_ = s.cmd.Wait()
}

// prompt is the user's prompt.
const prompt = "Tidy up the price of the shop."

// working is the model's script for the session: belay rejects the first two stops, because the
// tests fail.
func working() Script {
	return Script{Name: "session", Whole: true, Steps: []Step{
		price, edit("src/price.js", "return net + net * TAX;", "return net * TAX;"),
		{Run: "git reset --hard"},
		{Run: "echo a note >notes.txt"},
		{Say: "It is done."},
		edit("src/price.js", "return net * TAX;", "return net - TAX;"),
		{Say: "Now it is done."},
		edit("src/price.js", "return net - TAX;", "return net * (1 + TAX);"),
		{Say: "Now it is done and right."},
	}}
}

// behaviour is one tested property of a session.
type behaviour string

// Behaviours, in the order of the table.
const (
	installs  behaviour = "hooks installed, twice is once"
	marks     behaviour = "a prompt is marked"
	takes     behaviour = "a snapshot before each write"
	denies    behaviour = "`git reset --hard` denied"
	refuses   behaviour = "stop refused twice, then accepted"
	lists     behaviour = "`belay timeline`"
	undoes    behaviour = "`belay undo --turn` exact"
	removes   behaviour = "hooks removed, the other bytes unchanged"
	continues behaviour = "works without belay"
	plugs     behaviour = "installs the folder `plugin/`"
)

var behaviours = []behaviour{installs, marks, takes, denies, refuses, lists, undoes, removes, continues, plugs}

// shows are the results by behaviour: "" is right.
type shows map[behaviour]string

// interactiveAll tests the agents in interactive sessions and prints a table of behaviours.
func (b bench) interactiveAll(only, _ string) (bool, error) {
	m, err := serve()
	if err != nil {
		return false, err
	}
	defer func() { _ = m.Close() }()
	var names []string
	results, right := map[string]shows{}, true
	for _, a := range agents() {
		t, has := talkings()[a.Name]
		if !has || !wanted(a.Name, only) {
			continue
		}
		version, err := b.ready(a)
		if err != nil {
			fmt.Printf("%s left out: %v\n", a.Name, err)
			right = right && !b.named
			continue
		}
		name := a.Name + " " + version
		names = append(names, name)
		began := time.Now()
		got, err := b.interactive(m, a, t)
		if err != nil {
			return false, fmt.Errorf("%s: %w", a.Name, err)
		}
		fmt.Printf("%s: %.0f s\n", name, time.Since(began).Seconds())
		results[name] = got
	}
	fmt.Printf("\n| | %s |\n|---%s|\n", strings.Join(names, " | "), strings.Repeat("|---", len(names)))
	for _, what := range behaviours {
		row := []string{string(what)}
		for _, name := range names {
			wrong, done := results[name][what]
			switch {
			case !done:
				row = append(row, "no")
			case wrong == "":
				row = append(row, "run")
			default:
				right = false
				row = append(row, "WRONG: "+wrong)
			}
		}
		fmt.Printf("| %s |\n", strings.Join(row, " | "))
	}
	return right, nil
}

// interactive runs an agent in a session with belay's hooks, and in one after belay was removed.
func (b bench) interactive(m *model, a program, t talking) (shows, error) {
	home, root, remove, err := a.place(m.URL)
	if err != nil {
		return nil, err
	}
	defer remove()
	w := at{b: b, a: a, t: t, m: m, home: home, root: root, got: shows{}}
	// A link, so that belay can be removed later.
	if err := os.MkdirAll(filepath.Join(home, "bin"), 0o755); err != nil {
		return nil, err
	}
	if err := os.Symlink(b.through, filepath.Join(home, "bin", "belay")); err != nil {
		return nil, err
	}
	if err := w.prepare(); err != nil {
		return nil, err
	}
	if err := w.install(); err != nil {
		return nil, err
	}
	if err := w.work(working(), prompt); err != nil {
		return nil, err
	}
	if err := w.look(); err != nil {
		return nil, err
	}
	if err := w.without(); err != nil {
		return nil, err
	}
	return w.got, w.plug()
}

// at is one agent with its home and repository.
type at struct {
	b          bench
	a          program
	t          talking
	m          *model
	home, root string
	got        shows
	tree       string // before the session
	before     string // the hooks' file, before they were installed
}

// belay runs the link in PATH.
func (w at) belay(args ...string) (ran, error) {
	b := w.b
	b.through = filepath.Join(w.home, "bin", "belay")
	return b.belay(w.a, w.m.URL, w.home, w.root, args...)
}

// prepare writes the user's settings, and a repository with passing tests and trusted commands.
func (w *at) prepare() error {
	files := map[string]string{}
	if w.t.files != nil {
		files = w.t.files(w.root)
	}
	if w.t.before != "" {
		files[w.t.hooks] = w.t.before
	}
	for name, text := range files {
		path := filepath.Join(w.home, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		flags := os.O_CREATE | os.O_WRONLY | os.O_TRUNC
		if strings.HasSuffix(name, "more.toml") {
			path, flags = filepath.Join(filepath.Dir(path), "config.toml"), os.O_APPEND|os.O_WRONLY
		}
		f, err := os.OpenFile(path, flags, 0o644)
		if err != nil {
			return err
		}
		_, err = f.WriteString(text)
		if err := errors.Join(err, f.Close()); err != nil {
			return fmt.Errorf("write %s: %w", path, err)
		}
	}
	price := filepath.Join(w.root, "src", "price.js")
	text, err := os.ReadFile(price)
	if err != nil {
		return err
	}
	fixed := bytes.Replace(text, []byte("net + TAX"), []byte("net + net * TAX"), 1)
	if err := os.WriteFile(price, fixed, 0o644); err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Join(w.root, ".belay"), 0o755); err != nil {
		return err
	}
	config := "version: 1\nchecks:\n  tests:\n    command: npm test\n"
	if err := os.WriteFile(filepath.Join(w.root, ".belay", "config.yaml"), []byte(config), 0o644); err != nil {
		return err
	}
	for _, args := range [][]string{{"add", "-A"},
		{"-c", "user.name=A Person", "-c", "user.email=person@example.com", "commit", "-qm", "fixed"}} {
		cmd := exec.Command("git", args...)
		cmd.Dir, cmd.Env = w.root, environment(w.home, "")
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("commit: %w\n%s", err, out)
		}
	}
	// Work of the person's, which git reset --hard would destroy.
	if err := os.WriteFile(filepath.Join(w.root, "src", "basket.js"), []byte(shop["src/basket.js"]+"// to do\n"), 0o644); err != nil {
		return err
	}
	if r, err := w.belay("trust", "--yes"); err != nil || r.status != 0 {
		return fmt.Errorf("belay trust: %w: %s", err, r.errs)
	}
	if w.tree, err = tree(w.root); err != nil {
		return err
	}
	before, err := os.ReadFile(filepath.Join(w.home, w.t.hooks))
	w.before = string(before)
	if os.IsNotExist(err) {
		err = nil
	}
	return err
}

// tree returns all files with their contents, without .git.
func tree(root string) (string, error) {
	var all strings.Builder
	err := filepath.WalkDir(root, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			if d != nil && d.Name() == ".git" {
				return filepath.SkipDir
			}
			return err
		}
		text, err := os.ReadFile(path)
		name, _ := filepath.Rel(root, path)
		fmt.Fprintf(&all, "== %s\n%s", name, text)
		return err
	})
	return all.String(), err
}

// init runs belay init for the agent.
func (w at) init(more ...string) (ran, error) {
	args := append([]string{"init", "--agent", w.a.Name}, more...)
	if w.a.Name == "codex" && len(more) == 0 {
		args = append(args, "--trust-codex-hooks")
	}
	return w.belay(args...)
}

// install runs belay init twice.
func (w *at) install() error {
	for n := range 2 {
		r, err := w.init()
		if err != nil {
			return err
		}
		if r.status != 0 {
			w.got[installs] = oneLine(r.errs)
			return nil
		}
		if n == 1 && (strings.Contains(r.out, "wrote") || w.a.Name == "codex" && !strings.Contains(r.out, "trusts them")) {
			w.got[installs] = oneLine(r.out)
			return nil
		}
	}
	w.got[installs] = ""
	return nil
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// work runs the agent with a script in an interactive session.
func (w *at) work(s Script, prompt string) error {
	w.m.play(s, w.a.Speak, w.root)
	cmd := exec.Command(w.a.path(w.b.npm), w.t.args...)
	cmd.Dir, cmd.Env = w.root, w.environment()
	agent, err := open(cmd)
	if err != nil {
		return err
	}
	defer func() {
		agent.close(w.t)
		if w.b.raw != "" {
			_ = os.MkdirAll(w.b.raw, 0o755)
			_ = os.WriteFile(filepath.Join(w.b.raw, w.a.Name+" "+s.Name+".txt"), agent.said.Bytes(), 0o644)
		}
	}()
	from, err := agent.arrive(w.t)
	if err != nil {
		return err
	}
	agent.keys(prompt)
	typed := strings.ToLower(strings.ReplaceAll(prompt, " ", ""))
	for until := time.Now().Add(15 * time.Second); time.Now().Before(until); time.Sleep(100 * time.Millisecond) {
		if text, _ := agent.shown(from); strings.Contains(text, typed) {
			break // some draw it slowly, and would lose keys that they have not read
		}
	}
	time.Sleep(time.Second)
	agent.keys(enter)
	says := 0
	for _, step := range s.Steps {
		if step.Say != "" {
			says++
		}
	}
	requests, since := 0, time.Now()
	for time.Since(since) < getsToWork {
		if next, answered := agent.asked(w.t, from); answered {
			from = next
		}
		if asked, _ := w.m.played(); asked != requests {
			requests, since = asked, time.Now()
		}
		if w.m.says() == says && time.Since(since) > settles { // no more requests
			return nil
		}
		time.Sleep(200 * time.Millisecond)
	}
	return nil // missing steps show in the timeline
}

// settles is the time without requests after which the session is over: the checks at a stop run
// the tests.
const settles = 15 * time.Second

// environment is the agent's environment: a terminal, and belay in PATH.
func (w at) environment() []string {
	env := slices.DeleteFunc(w.a.environment(w.home, w.m.URL), func(v string) bool {
		return strings.HasPrefix(v, "TERM=") || strings.HasPrefix(v, "CI=") || strings.HasPrefix(v, "NO_COLOR=")
	})
	for i, v := range env {
		if path, ok := strings.CutPrefix(v, "PATH="); ok {
			env[i] = "PATH=" + filepath.Join(w.home, "bin") + string(os.PathListSeparator) + path
		}
	}
	return append(env, "TERM=xterm-256color", "COLORTERM=truecolor")
}

// timelineTurn is one turn of the timeline.
type timelineTurn struct {
	Turn     int
	Prompt   string
	Rejected int
	Verdict  string
	Snapshot string
	Steps    []struct {
		Kind, Name, Text, Before, After string
		Changes                         []struct{ Path string }
	}
}

// look compares belay's timeline with the script, and undoes the session.
func (w *at) look() error {
	r, err := w.belay("timeline", "--json")
	if err != nil {
		return err
	}
	var told struct {
		Data struct{ Turns []timelineTurn }
	}
	if err := json.Unmarshal([]byte(r.out), &told); err != nil || r.status != 0 {
		w.got[lists] = oneLine(r.out + r.errs)
		return nil
	}
	turns := slices.DeleteFunc(told.Data.Turns, func(t timelineTurn) bool { return t.Turn == 0 })
	w.got[marks] = judgeMarks(turns)
	w.got[takes] = judgeTakes(turns)
	w.got[denies] = judgeDenied(turns)
	if data, err := os.ReadFile(filepath.Join(w.root, "src", "basket.js")); err != nil || !bytes.Contains(data, []byte("// to do")) {
		w.got[denies] = "the person's work is lost"
	}
	w.got[refuses] = w.judgeRefused(turns)
	w.got[lists] = w.judgeList(turns)
	after, err := tree(w.root)
	if err != nil {
		return err
	}
	if len(turns) == 0 || after == w.tree {
		w.got[undoes] = "nothing to undo"
		return nil
	}
	r, err = w.belay("undo", "--turn", fmt.Sprint(turns[0].Turn))
	if err != nil {
		return err
	}
	now, err := tree(w.root)
	if err != nil {
		return err
	}
	if w.got[undoes] = ""; r.status != 0 || now != w.tree {
		w.got[undoes] = "the tree differs: " + oneLine(r.out+r.errs)
	}
	return nil
}

func judgeMarks(turns []timelineTurn) string {
	if len(turns) == 0 || turns[0].Prompt != prompt || turns[0].Snapshot == "" {
		return fmt.Sprintf("turns %+v", turns)
	}
	return ""
}

// judgeTakes expects a snapshot before and after each call that wrote.
func judgeTakes(turns []timelineTurn) string {
	written := map[string]int{}
	for _, t := range turns {
		for _, s := range t.Steps {
			if s.Kind != "tool" || len(s.Changes) == 0 {
				continue
			}
			if s.Before == "" || s.After == "" || s.Before == s.After {
				return fmt.Sprintf("%s %s: before %q, after %q", s.Name, s.Text, s.Before, s.After)
			}
			for _, c := range s.Changes {
				written[c.Path]++
			}
		}
	}
	if written["src/price.js"] != 3 || written["notes.txt"] != 1 || len(written) != 2 {
		return fmt.Sprintf("written: %v", written)
	}
	return ""
}

func judgeDenied(turns []timelineTurn) string {
	n := 0
	for _, t := range turns {
		for _, s := range t.Steps {
			if s.Kind == "denied" && strings.Contains(s.Text, "git reset --hard") {
				n++
			}
		}
	}
	if n != 1 {
		return fmt.Sprintf("denied %d times", n)
	}
	return ""
}

// judgeRefused expects three stops of the model, of which belay rejected two.
func (w *at) judgeRefused(turns []timelineTurn) string {
	rejected, last := 0, ""
	for _, t := range turns {
		rejected += t.Rejected
		last = t.Verdict
	}
	if w.m.says() != 3 || rejected != 2 || last != "pass" {
		return fmt.Sprintf("ended %d times, rejected %d times, then %q", w.m.says(), rejected, last)
	}
	return ""
}

// judgeList expects the timeline's text to name the prompt and the calls.
func (w *at) judgeList([]timelineTurn) string {
	r, err := w.belay("timeline")
	if err != nil {
		return err.Error()
	}
	for _, want := range []string{prompt, "src/price.js", "notes.txt", "git reset --hard"} {
		if !strings.Contains(r.out, want) {
			return fmt.Sprintf("does not name %s: %s", want, oneLine(r.out))
		}
	}
	return ""
}

// without runs the agent after belay was removed, and then removes the hooks.
func (w *at) without() error {
	link := filepath.Join(w.home, "bin", "belay")
	if err := os.Remove(link); err != nil {
		return err
	}
	alone := Script{Name: "alone", Whole: true, Steps: []Step{price,
		edit("src/price.js", "return net + net * TAX;", "return net * (1 + TAX);"), {Run: "echo another >other.txt"}, {Say: "Done."}}}
	if err := w.work(alone, "Tidy up the price once more."); err != nil {
		return err
	}
	w.got[continues] = ""
	text, err := os.ReadFile(filepath.Join(w.root, "src", "price.js"))
	if _, serr := os.Stat(filepath.Join(w.root, "other.txt")); err != nil || serr != nil || !bytes.Contains(text, []byte("1 + TAX")) {
		w.got[continues] = "its tools did not write"
	}
	if err := os.Symlink(w.b.through, link); err != nil {
		return err
	}
	r, err := w.init("--remove")
	if err != nil {
		return err
	}
	w.got[removes] = ""
	left, err := os.ReadFile(filepath.Join(w.home, w.t.hooks))
	trusted, _ := os.ReadFile(filepath.Join(w.home, ".codex", "config.toml")) // others have none
	switch {
	case r.status != 0:
		w.got[removes] = oneLine(r.errs)
	case bytes.Contains(trusted, []byte("trusted_hash")):
		w.got[removes] = "Codex still trusts the hooks"
	case w.before == "" && !os.IsNotExist(err), w.before != "" && string(left) != w.before:
		w.got[removes] = fmt.Sprintf("%s is %q, was %q", w.t.hooks, left, w.before)
	}
	return nil
}

// plug installs the packages with the agent's own commands.
func (w *at) plug() error {
	folder, err := filepath.Abs("plugin")
	if err != nil || len(w.t.plugin) == 0 {
		return err
	}
	w.got[plugs] = ""
	var out []byte
	for _, args := range w.t.plugin {
		args = slices.Clone(args)
		for i, arg := range args {
			if arg == "@" {
				args[i] = folder
			}
		}
		ctx, stop := context.WithTimeout(context.Background(), getsToWork)
		cmd := exec.CommandContext(ctx, w.a.path(w.b.npm), args...)
		cmd.Dir, cmd.Env = w.root, w.environment()
		out, err = cmd.CombinedOutput()
		if stop(); err != nil {
			w.got[plugs] = oneLine(string(out) + err.Error())
			return nil
		}
	}
	if shown := strings.ToLower(escapes.ReplaceAllString(string(out), "")); !strings.Contains(shown, w.t.lists) {
		w.got[plugs] = oneLine(string(out))
	}
	return nil
}
