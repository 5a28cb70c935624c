package app_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/belay-dev/belay/internal/app"
	"github.com/belay-dev/belay/internal/check"
)

// programsOfChecks is an Observer that ignores checks.
type programsOfChecks struct{ silentWatcher }

func (programsOfChecks) Checking(check.Progress) {}

// bundle has the keys of the file that Bundle writes, in the same order.
type bundle struct {
	Version     int               `json:"belay_bundle"`
	Task        string            `json:"task"`
	Record      []string          `json:"record"`
	Attachments map[string][]byte `json:"attachments"`
	Trees       map[string][]byte `json:"trees"`
	Envelope    *struct {
		PayloadType string `json:"payloadType"`
		Payload     []byte `json:"payload"`
		Signatures  []struct {
			Sig []byte `json:"sig"`
		} `json:"signatures"`
	} `json:"envelope,omitempty"`
}

// committed makes a repository with a task whose work is accepted and committed, signed evidence, a
// list of signers, and a clone.
func committed(t *testing.T) (dir, clone, signers string, evidence []byte) {
	t.Helper()
	if _, err := exec.LookPath("ssh-keygen"); err != nil {
		t.Skipf("SKIPPED, NOT TESTED: signatures are made with ssh-keygen: %v", err)
	}
	dir, _ = project(t, "checks: {tests: {command: \"true\"}}\n")
	up := t.TempDir()
	sh(t, up, "ssh-keygen -q -t ed25519 -N '' -f key && echo \"a@b $(cat key.pub)\" > signers && ssh-keygen -q -t ed25519 -N '' -f other")
	sh(t, dir, "git config gpg.format ssh && git config user.signingkey "+filepath.Join(up, "key"))
	write(t, dir, "src/a.txt", "one\ntwo\n")
	write(t, dir, "src/deep/b.txt", "new\n")
	s := open(t, dir)
	if _, err := s.Capture(t.Context(), "T1", programsOfChecks{}); err != nil {
		t.Fatal(err)
	}
	if report, err := s.Check(t.Context(), app.CheckRequest{Task: "T1", Trust: true, Watch: programsOfChecks{}}); err != nil ||
		len(report.Errors()) > 0 {
		t.Fatal(err, report)
	}
	if _, err := s.Finish(t.Context(), "T1", programsOfChecks{}); err != nil {
		t.Fatal(err)
	}
	if done, err := s.Commit(t.Context(), app.CommitRequest{Trust: true}); err != nil || !done.Created || len(done.Files) != 2 {
		t.Fatalf("%v %+v", err, done)
	}
	evidence, err := s.Bundle(t.Context(), "T1", "test", true, true)
	if err != nil {
		t.Fatal(err)
	}
	clone = filepath.Join(up, "clone")
	sh(t, up, "git clone -q "+dir+" clone")
	return dir, clone, filepath.Join(up, "signers"), evidence
}

// TestMutationsAreRefused changes commits, records, bundles and statements, mostly so that they
// stay readable: none is proven. The unchanged ones are, with the same steps in the repository and
// in a fresh clone.
func TestMutationsAreRefused(t *testing.T) {
	dir, clone, signers, evidence := committed(t)
	here, there := open(t, dir), open(t, clone)
	prove := func(s *app.Service, commit string, text []byte) (app.Proof, error) {
		return s.Prove(t.Context(), app.ProveRequest{Commit: commit, Bundle: text, Signers: signers, RequireSignature: text != nil,
			Watch: programsOfChecks{}})
	}
	local, err := prove(here, "HEAD", nil)
	if err != nil || !local.OK {
		t.Fatal(err, local)
	}
	far, err := prove(there, "HEAD", evidence)
	if err != nil || !far.OK {
		t.Fatal(err, far)
	}
	verdict := func(p app.Proof) app.ProofStep { return p.Steps[len(p.Steps)-1] }
	if verdict(local) != verdict(far) || verdict(far).Step != "verdict" {
		t.Errorf("here %+v, in a clone %+v", verdict(local), verdict(far))
	}
	count := map[string]int{}
	refused := func(kind, what string, s *app.Service, commit string, text []byte) {
		t.Helper()
		count[kind]++
		if p, err := prove(s, commit, text); err == nil && p.OK {
			t.Errorf("%s: %s is proven", kind, what)
		}
	}

	for i := range 90 { // every part of the bundle
		text := bytes.Clone(evidence)
		at := i * len(text) / 90
		text[at] ^= 1 << (i % 7)
		refused("bundle byte", fmt.Sprintf("byte %d of %d", at, len(text)), there, "HEAD", text)
	}
	change := func(kind, what string, how func(b *bundle)) {
		t.Helper()
		var b bundle
		if err := json.Unmarshal(evidence, &b); err != nil {
			t.Fatal(err)
		}
		how(&b)
		text, err := json.Marshal(b)
		if err != nil {
			t.Fatal(err)
		}
		refused(kind, what, there, "HEAD", append(text, '\n'))
	}
	var whole bundle
	if err := json.Unmarshal(evidence, &whole); err != nil {
		t.Fatal(err)
	}
	for i := range whole.Record {
		change("cut record", fmt.Sprint("the last ", i+1, " lines"), func(b *bundle) { b.Record = b.Record[:len(b.Record)-i-1] })
		change("cut record", fmt.Sprint("without line ", i+1), func(b *bundle) { b.Record = append(b.Record[:i:i], b.Record[i+1:]...) })
	}
	for i := 1; i < len(whole.Record); i++ {
		change("cut record", fmt.Sprint("lines swapped at ", i), func(b *bundle) {
			b.Record[i], b.Record[i-1] = b.Record[i-1],
				b.Record[i]
		})
	}
	for sha := range whole.Attachments {
		change("cut bundle", "without attachment "+sha, func(b *bundle) { delete(b.Attachments, sha) })
	}
	for oid, tree := range whole.Trees {
		change("cut bundle", "without tree "+oid, func(b *bundle) { delete(b.Trees, oid) })
		change("cut bundle", "tree with another one's bytes "+oid, func(b *bundle) { b.Trees[oid] = append(bytes.Clone(tree), 0) })
	}
	change("statement", "none", func(b *bundle) { b.Envelope = nil })
	change("statement", "another type", func(b *bundle) { b.Envelope.PayloadType = "text/plain" })
	change("statement", "two signatures", func(b *bundle) {
		b.Envelope.Signatures = append(b.Envelope.Signatures,
			b.Envelope.Signatures...)
	})
	for _, swap := range [][2]string{{"T1", "T2"}, {`"pass"`, `"fail"`}, {"gitCommit", "sha1"}, {"record_head", "head"},
		{`"record_entries":`, `"record_entries":1`}} {
		change("statement", swap[0], func(b *bundle) {
			b.Envelope.Payload = bytes.Replace(b.Envelope.Payload, []byte(swap[0]), []byte(swap[1]), 1)
		})
	}
	for i := range 20 {
		change("statement", fmt.Sprint("byte of the signature, ", i), func(b *bundle) {
			sig := b.Envelope.Signatures[0].Sig
			sig[i*len(sig)/20] ^= 4
		})
	}

	// Other commits: the same message on another tree, another parent, a copy with one byte
	// changed.
	raw, err := exec.Command("git", "-C", clone, "cat-file", "commit", "HEAD").Output()
	if err != nil {
		t.Fatal(err)
	}
	object := func(text []byte) string {
		path := filepath.Join(t.TempDir(), "object")
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
		out, err := exec.Command("git", "-C", clone, "hash-object", "-t", "commit", "-w", "--literally", path).Output()
		if err != nil {
			t.Fatal(err)
		}
		return strings.TrimSpace(string(out))
	}
	for i := range 50 {
		text := bytes.Clone(raw)
		at := i * len(text) / 50
		text[at] ^= 1
		refused("commit byte", fmt.Sprintf("byte %d of %d: %q", at, len(text), text[max(0, at-10):min(len(text), at+10)]), there,
			object(text), evidence)
	}
	message := string(raw[bytes.Index(raw, []byte("\n\n"))+2:])
	write(t, clone, "../message", message)
	for i, script := range []string{
		"echo more >> src/a.txt; git commit -qaF ../message", "git commit -q --allow-empty -F ../message",
		"git commit -q --amend -m other",
		"git reset -q --hard HEAD~1; echo one > src/other.txt; git add .; git commit -qF ../message",
		"git reset -q --hard HEAD~1; git checkout -q HEAD@{1} -- src/a.txt; git commit -qF ../message",
		"git reset -q --hard HEAD~1; git checkout -q HEAD@{1} -- src; chmod +x src/a.txt; git add .; git commit -qF ../message",
		"git reset -q --hard HEAD~1; git checkout -q HEAD@{1} -- src; echo evil > evil.sh; git add .; git commit -qF ../message",
		"git reset -q --hard HEAD~1; echo x > x; git add x; git commit -qm x; git checkout -q ORIG_HEAD -- src; git commit -qF ../message",
		"git checkout -q -b side HEAD~1; echo y > y; git add y; git commit -qm y; git merge -q --no-ff -F ../message main",
		"git checkout -q --orphan alone; git commit -qF ../message",
	} {
		sh(t, clone,
			"git config user.name x; git config user.email x@y; git checkout -q -f origin/main; git clean -qfd; "+strings.ReplaceAll(script, " side ", fmt.Sprint(" side", i, " ")))
		refused("foreign commit", script, there, "HEAD", evidence)
	}

	// The repository's own record.
	record := filepath.Join(dir, ".git", "belay", "tasks", "t1.jsonl")
	text, err := os.ReadFile(record)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 40 {
		changed := bytes.Clone(text)
		changed[i*len(text)/40] ^= 1 << (i % 7)
		if err := os.WriteFile(record, changed, 0o600); err != nil {
			t.Fatal(err)
		}
		refused("record byte", fmt.Sprint("byte ", i*len(text)/40), here, "HEAD", nil)
	}
	lines := bytes.SplitAfter(bytes.TrimSuffix(text, []byte("\n")), []byte("\n"))
	for i := range lines {
		if err := os.WriteFile(record, bytes.Join(lines[:i], nil), 0o600); err != nil {
			t.Fatal(err)
		}
		refused("record cut", fmt.Sprint("to ", i, " lines"), here, "HEAD", nil)
	}
	if err := os.WriteFile(record, text, 0o600); err != nil {
		t.Fatal(err)
	}
	if p, err := prove(here, "HEAD", nil); err != nil || !p.OK {
		t.Error("untouched again", err, p)
	}
	sum := 0
	for _, n := range count {
		sum += n
	}
	t.Logf("%d mutations: %v", sum, count)
	if sum < 200 {
		t.Errorf("%d mutations", sum)
	}
}

// accepted makes a repository with the script before, and a task T1 that changes it with the script
// work and is accepted.
func accepted(t *testing.T, before, work string, dirty ...string) (string, *app.Service) {
	t.Helper()
	dir, home := t.TempDir(), t.TempDir()
	for name, value := range map[string]string{"HOME": home, "XDG_CONFIG_HOME": home, "GIT_CONFIG_NOSYSTEM": "1"} {
		os.Setenv(name, value)
	}
	t.Setenv("BELAY_STATE_HOME", filepath.Join(home, "state"))
	sh(t, dir,
		"git init -q -b main && git config user.name a && git config user.email a@b\n"+before+"\ngit add -A && git commit -qm first\n"+strings.Join(dirty, "\n"))
	s := open(t, dir)
	if _, err := s.Add(t.Context(), app.NewTask{ID: "T1", Text: "do it"}); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Start(t.Context(), "T1", programsOfChecks{}); err != nil {
		t.Fatal(err)
	}
	sh(t, dir, work)
	if _, err := s.Capture(t.Context(), "T1", programsOfChecks{}); err != nil {
		t.Fatal(err)
	}
	if report, err := s.Check(t.Context(), app.CheckRequest{Task: "T1", Skip: []string{"tests"}, Watch: programsOfChecks{}}); err != nil ||
		len(report.Errors()) > 0 {
		t.Fatal(err, report.Errors())
	}
	if _, err := s.Finish(t.Context(), "T1", programsOfChecks{}); err != nil {
		t.Fatal(err)
	}
	return dir, s
}

// TestCommitFollows: work that is accepted again after a commit gets a commit of the new changes,
// and both are proven, also in a clone.
func TestCommitFollows(t *testing.T) {
	dir, clone, signers, _ := committed(t)
	s := open(t, dir)
	again := func(why string, change func()) app.CommitResult {
		t.Helper()
		if _, err := app.RecordReview(t.Context(), s, app.NewReview{Task: "T1", Verdict: app.Reject, Reviewer: "ci", Text: why}); err != nil {
			t.Fatal(err)
		}
		change()
		if _, err := s.Capture(t.Context(), "T1", programsOfChecks{}); err != nil {
			t.Fatal(err)
		}
		if report, err := s.Check(t.Context(), app.CheckRequest{Task: "T1", Trust: true, Watch: programsOfChecks{}}); err != nil || len(report.Errors()) > 0 {
			t.Fatal(err, report)
		}
		if _, err := s.Finish(t.Context(), "T1", programsOfChecks{}); err != nil {
			t.Fatal(err)
		}
		done, err := s.Commit(t.Context(), app.CommitRequest{Task: "T1"})
		if err != nil || !done.Created {
			t.Fatal(err, done)
		}
		if repeated, err := s.Commit(t.Context(), app.CommitRequest{Task: "T1"}); err != nil || repeated.Created ||
			repeated.Commit != done.Commit {
			t.Errorf("repeated: %v %+v", err, repeated)
		}
		return done
	}
	paths := func(done app.CommitResult) (names []string) {
		for _, f := range done.Files {
			if !strings.HasPrefix(f.Path, ".belay/") { // the review's file
				names = append(names, f.Path)
			}
		}
		return names
	}
	second := again("b.txt is old", func() { write(t, dir, "src/deep/b.txt", "newer\n"); write(t, dir, "src/c.txt", "c\n") })
	if got := fmt.Sprint(paths(second)); got != "[src/c.txt src/deep/b.txt]" {
		t.Errorf("the second commit contains %s", got)
	}
	// A file that is again as before the task is committed as well.
	third := again("leave a.txt alone", func() { write(t, dir, "src/a.txt", "one\n") })
	if got := fmt.Sprint(paths(third)); got != "[src/a.txt]" {
		t.Errorf("the third commit contains %s", got)
	}
	sh(t, dir, `[ -z "$(git status --short -- src)" ] && [ $(git rev-list --count HEAD) = 4 ]`)
	evidence, err := s.Bundle(t.Context(), "T1", "test", true, true)
	if err != nil {
		t.Fatal(err)
	}
	sh(t, clone, "git pull -q")
	for _, commit := range []string{"HEAD", "HEAD~1", "HEAD~2"} {
		p, err := s.Prove(t.Context(), app.ProveRequest{Commit: commit, Watch: programsOfChecks{}})
		if err != nil || !p.OK {
			t.Errorf("%s: %v %+v", commit, err, p)
		}
	}
	p, err := open(t, clone).Prove(t.Context(), app.ProveRequest{Commit: "HEAD", Bundle: evidence, Signers: signers, RequireSignature: true, Watch: programsOfChecks{}})
	if err != nil || !p.OK {
		t.Errorf("in a clone: %v %+v", err, p)
	}
	// A change that someone else committed is not overwritten.
	if _, err := app.RecordReview(t.Context(), s, app.NewReview{Task: "T1", Verdict: app.Reject, Reviewer: "ci", Text: "c.txt"}); err != nil {
		t.Fatal(err)
	}
	write(t, dir, "src/c.txt", "a person's\n")
	sh(t, dir, "git commit -qam theirs")
	write(t, dir, "src/c.txt", "c once more\n")
	if _, err := s.Capture(t.Context(), "T1", programsOfChecks{}); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Check(t.Context(), app.CheckRequest{Task: "T1", Trust: true, Watch: programsOfChecks{}}); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Finish(t.Context(), "T1", programsOfChecks{}); err != nil {
		t.Fatal(err)
	}
	if done, err := s.Commit(t.Context(), app.CommitRequest{Task: "T1"}); err == nil || !strings.Contains(err.Error(), "src/c.txt changed since the last commit") {
		t.Errorf("%v %+v", err, done)
	}
}

// TestCommitOfEverything: files of each kind are committed in the form that git stores, and nothing
// else.
func TestCommitOfEverything(t *testing.T) {
	dir, s := accepted(t,
		`printf '*.txt text eol=crlf\n' > .gitattributes; printf 'one\r\n' > crlf.txt; echo x > gone; echo x > was-file; echo '#!/bin/sh' > run.sh
mkdir was-dir; echo y > was-dir/f; echo z > other; printf '*.log\n' > .gitignore`,
		`printf 'one\r\ntwo\r\n' > crlf.txt; printf 'new\r\n' > new.txt; rm gone was-file; mkdir was-file; echo in > was-file/f; rm -r was-dir; echo file > was-dir
chmod 755 run.sh; ln -s run.sh link; echo odd > 'a b|c.md'; mkdir -p deep/er; echo d > deep/er/é; echo ignored > x.log`)
	sh(t, dir, "echo mine >> other; echo staged > staged; git add staged; echo loose > loose")
	done, err := s.Commit(t.Context(), app.CommitRequest{Task: "T1"})
	if err != nil || !done.Created {
		t.Fatal(err)
	}
	sh(t, dir, `test "$(git status --porcelain)" = "$(printf ' M other\nA  staged\n?? loose')" || { git status --porcelain; exit 1; }
test "$(git show HEAD:crlf.txt | od -c | grep -c 'r')" = 0
test "$(git ls-tree -r HEAD | cut -c1-6 | sort | uniq -c | tr -s ' ' | tr '\n' ';')" = " 9 100644; 1 100755; 1 120000;" ||
	{ git ls-tree -r HEAD; exit 1; }
git fsck --strict`)
	p, err := s.Prove(t.Context(), app.ProveRequest{Commit: "HEAD", Watch: programsOfChecks{}})
	if err != nil || !p.OK {
		t.Fatalf("%v %+v", err, p.Steps)
	}
	if !strings.Contains(fmt.Sprint(p.Steps), "2 stored in another form") {
		t.Errorf("%+v", p.Steps)
	}
}

// TestCommitIsFinished: after a kill that follows the commit, the next call finds it, records it and
// updates the index.
func TestCommitIsFinished(t *testing.T) {
	dir, s := accepted(t, "echo one > a; echo two > b", "echo more >> a; rm b")
	if _, err := s.Commit(t.Context(), app.CommitRequest{}); err != nil {
		t.Fatal(err)
	}
	record := filepath.Join(dir, ".git", "belay", "tasks", "t1.jsonl")
	text, err := os.ReadFile(record)
	if err != nil {
		t.Fatal(err)
	}
	cut := bytes.LastIndexByte(bytes.TrimSuffix(text, []byte("\n")), '\n') + 1
	if !bytes.Contains(text[cut:], []byte(`"kind":"committed"`)) {
		t.Fatalf("%s", text[cut:])
	}
	if err := os.WriteFile(record, text[:cut], 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(os.Getenv("BELAY_STATE_HOME")); err != nil { // the anchor knows the longer record
		t.Fatal(err)
	}
	sh(t, dir, "git read-tree HEAD~1; touch .git/belay/commit.index .git/belay/commit.index.lock")
	s = open(t, dir)
	if p, err := s.Prove(t.Context(), app.ProveRequest{Commit: "HEAD", Watch: programsOfChecks{}}); err != nil || p.OK {
		t.Errorf("an unrecorded commit: %v %+v", err, p)
	}
	done, err := s.Commit(t.Context(), app.CommitRequest{})
	if err != nil || done.Created {
		t.Fatalf("%v %+v", err, done)
	}
	if p, err := s.Prove(t.Context(), app.ProveRequest{Commit: "HEAD", Watch: programsOfChecks{}}); err != nil || !p.OK {
		t.Errorf("%v %+v", err, p)
	}
	sh(t, dir, `test -z "$(git status --porcelain)"; test "$(git rev-list --count HEAD)" = 2; test ! -e .git/belay/commit.index.lock`)
	if done, err = s.Commit(t.Context(), app.CommitRequest{}); err != nil || done.Created {
		t.Errorf("%v %+v", err, done)
	}
}

// TestNothingToCommit: the error names the reason, and nothing changes.
func TestNothingToCommit(t *testing.T) {
	for name, c := range map[string]struct{ dirty, after, says string }{
		"edited since":           {"", "echo mine >> a", "changed since T1 was accepted"},
		"committed by hand":      {"", "git commit -qam by-hand", "is committed already"},
		"uncommitted before":     {"echo mine >> a", "", "had uncommitted changes of yours before T1"},
		"a merge is in progress": {"", "git rev-parse HEAD > .git/MERGE_HEAD", "a merge is in progress"},
		"it was rolled back":     {"", "git checkout -q -- a", "changed since T1 was accepted"},
		"somebody has the index": {"", "touch .git/index.lock", "the index is locked by another git process"},
		"a branch that has moved": {"", "cp a keep; git checkout -q -- a; echo other > a; git commit -qam moved; mv keep a",
			"had uncommitted changes of yours before T1"},
	} {
		dir, s := accepted(t, "echo one > a", "echo more >> a", c.dirty)
		if c.after != "" {
			sh(t, dir, c.after)
		}
		head := gitOut(t, dir, "rev-parse", "HEAD")
		_, err := s.Commit(t.Context(), app.CommitRequest{})
		if err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v", name, err)
		}
		if now := gitOut(t, dir, "rev-parse", "HEAD"); now != head {
			t.Errorf("%s: HEAD moved", name)
		}
	}
}

func gitOut(t *testing.T, dir string, args ...string) string {
	t.Helper()
	out, err := exec.Command("git", append([]string{"-C", dir}, args...)...).Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(out))
}
