package check

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/git"
)

// TestHarmfulKeys: a key of each form in the table is found, in any case, and by no other form.
func TestHarmfulKeys(t *testing.T) {
	t.Parallel()
	for form, why := range harmfulKeys {
		for _, sub := range []string{"x", "X.y z", "https://example.com/a.b"} {
			key := strings.Replace(form, ".*", "."+sub, 1)
			if name, all := strings.CutSuffix(form, ".*"); all {
				key = name + ".anything"
			}
			if got := whyDangerous(key, "evil", nil); got != why {
				t.Errorf("%s (%s): %q, want %q", key, form, got, why)
			}
		}
		if strings.Count(form, ".") == 2 && strings.Contains(form, ".*.") { // both credential.helper and credential.URL.helper
			key := strings.Replace(form, ".*", "", 1)
			if whyDangerous(key, "evil", nil) == "" {
				t.Errorf("%s runs nothing, %s does", key, form)
			}
		}
	}
	for key := range submoduleKeys {
		if harmfulKeys[key] == "" {
			t.Errorf("%s is in no table", key)
		}
	}
	for form := range switchValues {
		if harmfulKeys[form] == "" {
			t.Errorf("%s is switched, and harmless", form)
		}
	}
}

func TestDanger(t *testing.T) {
	t.Parallel()
	known := map[string]bool{"origin": true}
	for _, kv := range [][2]string{
		{"submodule.x.update", "!evil"}, {"submodule.x.url", "ext::evil"}, {"branch.main.remote", "https://evil.example"}, {"branch.main.pushremote", "new"},
		{"remote.pushdefault", "/evil"}, {"some.new.command", "!evil"}, {"core.fsmonitor", "./true"}, {"pager.log", "less"}, {"core.bare", "true"},
		{"http.sslverify", "false"}, {"core.protectntfs", "no"}, {"http.https://a.b/.proxy", "x"}, {"lfs.customtransfer.x.path", "x"},
	} {
		if whyDangerous(kv[0], kv[1], known) == "" {
			t.Errorf("%s = %s passes", kv[0], kv[1])
		}
	}
	// set by tools and people all the time
	for _, kv := range [][2]string{
		{"user.name", "A"}, {"user.email", "a@b"}, {"core.autocrlf", "input"}, {"core.filemode", "false"}, {"core.fsmonitor", "true"}, {"core.fsmonitor", "false"},
		{"core.untrackedcache", "true"}, {"core.bare", "false"}, {"branch.main.remote", "origin"}, {"branch.main.remote", "."}, {"branch.main.merge", "refs/heads/main"},
		{"branch.main.rebase", "true"}, {"remote.origin.fetch", "+refs/heads/*:refs/remotes/origin/*"}, {"remote.pushdefault", "origin"}, {"push.default", "current"},
		{"pull.rebase", "true"}, {"pager.log", "false"}, {"color.ui", "auto"}, {"submodule.x.url", "https://example.com/x"}, {"submodule.x.active", "true"},
		{"submodule.x.update", "rebase"}, {"merge.conflictstyle", "zdiff3"}, {"diff.algorithm", "histogram"}, {"diff.x.xfuncname", "^x"}, {"merge.tool", "meld"},
		{"rerere.enabled", "true"}, {"commit.gpgsign", "true"}, {"gc.auto", "0"}, {"http.postbuffer", "1"}, {"http.sslverify", "true"}, {"init.defaultbranch", "main"},
		{"lfs.repositoryformatversion", "0"}, {"credential.usehttppath", "true"}, {"gpg.format", "ssh"}, {"filter.x.required", "true"},
	} {
		if why := whyDangerous(kv[0], kv[1], known); why != "" {
			t.Errorf("%s = %s: %s", kv[0], kv[1], why)
		}
	}
}

func file(text string) *GitFile { return &GitFile{Data: []byte(text), Perm: 0o644} }

func asks(texts ...string) (r belay.Request) {
	for _, t := range texts {
		r.Requirements = append(r.Requirements, belay.Requirement{Text: t})
	}
	return r
}

// found returns the findings as lines "severity title".
func found(f GitFacts, files []string, r belay.Request) (lines []string) {
	for _, one := range JudgeGit(f, belay.Scope{Files: files}, r).Findings {
		lines = append(lines, string(one.Severity)+" "+one.Title)
	}
	return lines
}

func TestJudge(t *testing.T) {
	t.Parallel()
	hook := GitFacts{Files: []FileChange{{Name: "hooks/pre-commit", After: &GitFile{Perm: 0o755}}}}
	config := func(then, now string) GitFacts {
		return GitFacts{Files: []FileChange{{Name: "config", Before: file(then), After: file(now)}}}
	}
	inTree := GitFacts{Root: "/r", Dir: "/r/.git", ConfigBefore: []byte("[core]\nhooksPath = tools/hooks\n[include]\npath = ../shared.cfg\n"), Paths: []string{"tools/hooks/pre-push", "shared.cfg", "tools/hooksmith.go"}}
	lost := func(kind LossKind, sure bool) GitFacts {
		return GitFacts{LostWork: []Loss{{Path: "notes.txt", Kind: kind}}, ByAttempt: sure, Snapshot: "01abc"}
	}
	for name, c := range map[string]struct {
		facts GitFacts
		files []string
		asked belay.Request
		want  []string
	}{
		"nothing":                     {},
		"hook":                        {facts: hook, want: []string{"error hook added: hooks/pre-commit"}},
		"hook asked for":              {facts: hook, asked: asks("Add a pre-commit hook."), want: []string{"warning hook added: hooks/pre-commit"}},
		"git hook asked for":          {facts: hook, asked: asks("install a git hook that runs gofmt"), want: []string{"warning hook added: hooks/pre-commit"}},
		"another hook asked for":      {facts: hook, asked: asks("add a useAuth hook"), want: []string{"error hook added: hooks/pre-commit"}},
		"hook asked not to":           {facts: hook, asked: asks("Do not add a pre-commit hook"), want: []string{"error hook added: hooks/pre-commit"}},
		"key":                         {facts: config("", "[alias]\nst = status\n"), want: []string{"error config: alias.st was set"}},
		"key asked for":               {facts: config("", "[core]\nhooksPath=x\n"), asked: asks("set core.hooksPath to x"), want: []string{"warning config: core.hookspath was set"}},
		"remote asked for":            {facts: config("", "[remote \"origin\"]\nurl=x\n"), asked: asks("set the remote to x"), want: []string{"warning config: remote.origin.url was set"}},
		"remote not asked for":        {facts: config("", "[remote \"origin\"]\nurl=x\n"), asked: asks("add a remote procedure call"), want: []string{"error config: remote.origin.url was set"}},
		"key taken away":              {facts: config("[alias]\nst=x", ""), want: []string{"warning config: alias.st was removed"}},
		"one value less":              {facts: config("[alias]\nst=x\nst=y", "[alias]\nst=x"), want: []string{"warning config: alias.st was changed"}},
		"same keys":                   {facts: config("[a]x=1", "# a comment\n[A]\n\tX = 1\n")},
		"unreadable":                  {facts: config("", "[core"), want: []string{"error config cannot be read"}},
		"was unreadable":              {facts: config("[core", "[core]\npager=x"), want: []string{"error config: core.pager was set"}},
		"password in a key":           {facts: config("", "[url \"https://me:secret@x/\"]\ninsteadOf=y\n"), want: []string{"error config: url.https://…@x/.insteadof was set"}},
		"in the tree":                 {facts: inTree, want: []string{"error a file that git runs or loads changed", "error a file that git runs or loads changed"}},
		"in the tree, named":          {facts: inTree, files: []string{"tools/hooks/**", "shared.cfg"}},
		"in the tree, not by name":    {facts: inTree, files: []string{"**"}, want: []string{"error a file that git runs or loads changed", "error a file that git runs or loads changed"}},
		"commit":                      {facts: GitFacts{Refs: []RefChange{{"refs/heads/main", "aaaaaaaaaaaa", "bbbbbbbbbbbb", 0, 2}}}, want: []string{"warning 2 new commits on main: aaaaaaaaa → bbbbbbbbb"}},
		"commit asked for":            {facts: GitFacts{Refs: []RefChange{{"refs/heads/main", "aaaaaaaaaaaa", "bbbbbbbbbbbb", 0, 1}}}, asked: asks("commit your work"), want: []string{"note 1 new commit on main: aaaaaaaaa → bbbbbbbbb"}},
		"reset, not asked for":        {facts: GitFacts{Refs: []RefChange{{"refs/heads/main", "aaaaaaaaaaaa", "bbbbbbbbbbbb", 3, 0}}}, asked: asks("commit your work"), want: []string{"warning branch main was reset by 3 commits: aaaaaaaaa → bbbbbbbbb"}},
		"amend":                       {facts: GitFacts{Refs: []RefChange{{"refs/heads/main", "aaaaaaaaaaaa", "bbbbbbbbbbbb", 1, 1}}}, want: []string{"warning branch main was rewritten: aaaaaaaaa → bbbbbbbbb, 1 commit replaced by 1"}},
		"replace":                     {facts: GitFacts{Refs: []RefChange{{Name: "refs/replace/aa", To: "b"}}}, want: []string{"error a replacement was added: refs/replace/aa"}},
		"lost edits":                  {facts: lost(LostEdits, true), want: []string{"error uncommitted edits are gone: notes.txt"}},
		"lost, by nobody knows whom":  {facts: lost(LostNew, false), want: []string{"warning uncommitted work is gone: notes.txt"}},
		"lost, and asked for":         {facts: lost(LostNew, true), asked: asks("delete notes.txt"), want: []string{"warning uncommitted work is gone: notes.txt"}},
		"lost, and another asked for": {facts: lost(LostNew, true), asked: asks("delete mynotes.txt and notes.txt.bak"), want: []string{"error uncommitted work is gone: notes.txt"}},
		"new submodule":               {facts: GitFacts{Files: []FileChange{{Name: "modules/sub/config", After: file("[core]\nworktree=../../../sub\n[remote \"origin\"]\nurl=x\n[branch \"main\"]\nremote=origin\n")}}}},
		"new submodule that runs something": {facts: GitFacts{Files: []FileChange{{Name: "modules/sub/config", After: file("[core]\nfsmonitor=x\n")}, {Name: "modules/sub/hooks/pre-push", After: file("")}}},
			want: []string{"error modules/sub/config: core.fsmonitor was set", "error hook added: modules/sub/hooks/pre-push"}},
	} {
		if got := found(c.facts, c.files, c.asked); !slices.Equal(got, c.want) {
			t.Errorf("%s:\n got %q\nwant %q", name, got, c.want)
		}
	}
}

// TestNoValueIsShown: no finding contains a value, which may be a secret.
func TestNoValueIsShown(t *testing.T) {
	t.Parallel()
	var text strings.Builder
	for form := range harmfulKeys {
		section, sub, name := git.SplitKey(strings.ReplaceAll(form, "*", "x"))
		fmt.Fprintf(&text, "[%s \"%s\"]\n%s = hunter2\n", section, sub, name)
	}
	r := JudgeGit(GitFacts{Files: []FileChange{{Name: "config", Before: file(""), After: file(text.String())}}}, belay.Scope{}, belay.Request{})
	if len(r.Findings) < 50 || r.Verdict != belay.VerdictFail {
		t.Errorf("%d findings", len(r.Findings))
	}
	if strings.Contains(fmt.Sprint(r), "hunter2") {
		t.Error("a value is shown")
	}
}
