package check

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/belay-dev/belay/internal/belay"

	"github.com/belay-dev/belay/internal/git"
)

// GitCheck is the name of the check.
const GitCheck = "git"

// GitFile is a file of a git folder.
type GitFile struct {
	Data []byte // the target of a link
	Perm uint16
	Link bool
}

// FileChange is a changed file of a git folder; nil if it does not exist. Name is its path below
// the git folder.
type FileChange struct {
	Name          string
	Before, After *GitFile
}

// RefChange is a changed ref. From and To are object names or "ref: NAME", "" if there is none.
// CommitsRemoved counts the commits that only From has, CommitsAdded those that only To has; both
// are -1 if unknown. For a new branch, CommitsAdded counts the commits that HEAD before lacks.
type RefChange struct {
	Name, From, To               string
	CommitsRemoved, CommitsAdded int
}

// Head is the position of HEAD: a commit, and a branch unless it is detached.
type Head struct{ OID, Branch string }

// Index is the attempt's changes of the index.
type Index struct {
	Unreadable bool
	Hidden     []string // paths newly marked assume-unchanged or skip-worktree
	Staged     []string // paths staged with another content or mode, while HEAD was unchanged
}

// Loss is uncommitted work of a person that is in no file, commit, index or stash now.
type Loss struct {
	Path   string
	Kind   LossKind
	Unsure bool // a tool may recreate it, or it may have been moved
}

// LossKind is how work was lost.
type LossKind string

// Kinds of lost work.
const (
	LostEdits  LossKind = "edits"     // edits of a tracked file, which now has the content of a commit
	LostFile   LossKind = "file"      // an edited file that is missing
	LostNew    LossKind = "untracked" // an untracked file that is missing
	LostStaged LossKind = "staged"    // content that was only in the index
	LostStash  LossKind = "stash"     // an entry of the stash; Path is its message
)

// GitFacts are the differences of git's state between the before and the after snapshot, as far as
// an attempt may have made them.
type GitFacts struct {
	Files        []FileChange
	KeyChanged   func(file, key string) bool // reports whether an attempt changed a key of a config; nil: all
	ConfigBefore []byte                      // the previous config
	Root, Dir    string                      // of the worktree and the git folder, for paths in the config
	Paths        []string                    // changed files of the tree

	HeadFrom, HeadTo                Head
	Refs                            []RefChange
	ReflogTruncated                 bool // HEAD's reflog lost its newest lines
	Index                           Index
	StashPushed, StashDropped       []string // messages of stash entries
	OperationBefore, OperationAfter string   // the operation in progress, "" for none
	Worktrees                       []string // folders of added worktrees
	LostWork                        []Loss
	ByAttempt                       bool   // an attempt certainly did it, and no person
	Snapshot                        string // the ID of the before snapshot, for restore commands
}

// JudgeGit returns the result of the check. The scope and the request determine what the task
// allows.
func JudgeGit(f GitFacts, scope belay.Scope, request belay.Request) belay.CheckResult {
	j := gitJudge{GitFacts: f, scope: scope, request: newRequestText(request)}
	j.judgeFiles()
	j.judgeIncluded()
	j.judgeRefs()
	j.judgeIndex()
	j.judgeLost()
	summary := "git's own state is unchanged"
	errors, named := 0, 0
	for _, one := range j.findings {
		if one.Severity == belay.SeverityError {
			errors++
		} else {
			named++
		}
	}
	switch {
	case errors > 0:
		summary = fmt.Sprintf("%s to git's own state or to uncommitted work",
			belay.Count(errors, "forbidden change", "forbidden changes"))
	case named > 0:
		summary = belay.Count(named, "change", "changes") + " to git's own state, none that runs a program"
	}
	slices.SortStableFunc(j.findings, func(a, b belay.Finding) int { return cmp.Compare(weight(a), weight(b)) })
	return belay.Of(GitCheck, summary, belay.Brief(j.findings, "more changes to git's own state"))
}

func weight(f belay.Finding) int {
	return slices.Index([]belay.Severity{belay.SeverityError, belay.SeverityWarning, belay.SeverityNote}, f.Severity)
}

type gitJudge struct {
	GitFacts
	scope    belay.Scope
	request  requestText
	findings []belay.Finding
}

func (j *gitJudge) add(s belay.Severity, title, detail, try string) {
	j.findings = append(j.findings, belay.Finding{Severity: s, Category: belay.CategoryGit, Title: title,
		Detail: detail, Recommendation: try})
}

// reject adds an error, or a warning if the task asks for it by name.
func (j *gitJudge) reject(asked bool, title, detail, try string) {
	if asked {
		j.add(belay.SeverityWarning, title, detail+" (the task asks for it)", "")
		return
	}
	j.add(belay.SeverityError, title, detail, try)
}

func (j *gitJudge) warn(title, detail string) { j.add(belay.SeverityWarning, title, detail, "") }

// Advice for the agent, part of its next prompt.
const (
	tryConfig = "restore git's config; pass settings to a single command with git -c"
	tryHooks  = "restore git's hooks; only a person can ask for one, by name"
	tryInfo   = "restore git's own files"
)

// judgeFiles judges git's own files.
func (j *gitJudge) judgeFiles() {
	for _, c := range j.Files {
		module, name := moduleOf(c.Name)
		made := module != "" && j.isNewModule(module)
		switch {
		case name == "config" || name == "config.worktree":
			j.judgeConfig(c, made)
		case name == "hooks" || strings.HasPrefix(name, "hooks/"):
			hook := path.Base(name)
			j.reject(j.request.asksForHook(hook), "hook "+fileVerb(c)+": "+c.Name, "git runs it automatically"+linkNote(c), tryHooks)
		case name == "info/exclude":
			j.warn("ignore rules "+fileVerb(c)+": "+c.Name, "matching files appear in no commit and no git status")
		case name == "info/sparse-checkout" || name == "shallow":
			j.warn(c.Name+" "+fileVerb(c), "it decides which files or commits git shows")
		case name == "info/attributes":
			j.reject(j.request.hasWord(name), "attributes "+fileVerb(c)+": "+c.Name, whyFilters, tryInfo)
		case name == "info/grafts":
			j.reject(j.request.hasWord(name), "grafts "+fileVerb(c)+": "+c.Name, "they change the history that git shows", tryInfo)
		case name == "objects/info/alternates":
			j.reject(j.request.hasWord("alternates"), "alternates "+fileVerb(c)+": "+c.Name,
				"git reads objects from folders outside the repository", tryInfo)
		case strings.HasPrefix(name, "remotes/"), strings.HasPrefix(name, "branches/"):
			j.reject(j.request.namesRemote(path.Base(name)), "remote "+fileVerb(c)+": "+c.Name, whySends, tryConfig)
		}
	}
	if j.OperationBefore != j.OperationAfter {
		switch {
		case j.OperationBefore == "":
			j.warn("a "+j.OperationAfter+" was started but not finished", "git refuses some commands until it is finished or aborted")
		case j.OperationAfter == "":
			j.warn("the "+j.OperationBefore+" in progress was ended", "it was in progress before the task")
		default:
			j.warn("the "+j.OperationBefore+" in progress was ended and a "+j.OperationAfter+" was started", "")
		}
	}
	for _, w := range j.Worktrees {
		j.warn("a worktree was added: "+w, "remove it with: git worktree remove "+w)
	}
}

// moduleOf splits the submodule's folder off a name.
func moduleOf(name string) (module, rest string) {
	if !strings.HasPrefix(name, "modules/") {
		return "", name
	}
	for _, end := range []string{"/config", "/hooks"} {
		if at := strings.LastIndex(name, end); at > 0 && (at+len(end) == len(name) || name[at+len(end)] == '/') {
			return name[:at], name[at+1:]
		}
	}
	return name, ""
}

// isNewModule reports whether the submodule did not exist before.
func (j *gitJudge) isNewModule(module string) bool {
	return slices.ContainsFunc(j.Files, func(c FileChange) bool { return c.Name == module+"/config" && c.Before == nil })
}

func fileVerb(c FileChange) string {
	switch {
	case c.Before == nil:
		return "added"
	case c.After == nil:
		return "removed"
	case c.Before.Link == c.After.Link && bytes.Equal(c.Before.Data, c.After.Data):
		return fmt.Sprintf("changed mode from %04o to %04o", c.Before.Perm, c.After.Perm)
	}
	return "changed"
}

func linkNote(c FileChange) string {
	if c.After != nil && c.After.Link {
		return "; it is a link to " + belay.VisibleLine(string(c.After.Data))
	}
	return ""
}

// judgeConfig judges the changed keys of one config.
func (j *gitJudge) judgeConfig(c FileChange, made bool) {
	if c.After != nil && c.After.Link {
		j.add(belay.SeverityError, c.Name+" is now a link", "it points to "+belay.VisibleLine(string(c.After.Data)), tryConfig)
		return
	}
	now, err := keysOf(c.After)
	if err != nil {
		j.add(belay.SeverityError, c.Name+" cannot be read", err.Error(), tryConfig)
		return
	}
	then, err := keysOf(c.Before)
	if err != nil {
		then = nil // it could not be parsed, so all current keys count as new
	}
	if c.After == nil {
		j.add(belay.SeverityError, c.Name+" was removed", "its protections are gone too", tryConfig)
		return
	}
	keys := maps.Clone(now)
	maps.Copy(keys, then)
	remotes := remotesOf(then)
	if made {
		remotes = remotesOf(now)
	}
	for _, key := range slices.Sorted(maps.Keys(keys)) {
		if slices.Equal(then[key], now[key]) || j.KeyChanged != nil && !j.KeyChanged(c.Name, key) {
			continue
		}
		j.judgeKey(c.Name, key, then[key], now[key], remotes, made)
	}
}

func (j *gitJudge) judgeKey(file, key string, then, now []string, remotes map[string]bool, made bool) {
	section, sub, name := git.SplitKey(key)
	shown := file + ": " + shownKey(section, sub, name)
	for _, value := range now {
		if slices.Contains(then, value) {
			continue
		}
		why := whyDangerous(key, value, remotes)
		if why == "" && section == "submodule" && name == "url" && len(then) > 0 {
			why = whySends
		}
		if why == "" || made && submoduleKeys[harmfulForm(section, sub, name)] {
			continue
		}
		asked := j.request.namesKey(key) || section == "remote" && j.request.namesRemote(sub)
		j.reject(asked, shown+" was "+keyVerb(then, now), why, tryConfig)
		return
	}
	if !made {
		j.warn(shown+" was "+keyVerb(then, now), "it is not known to run a program")
	}
}

func keyVerb(then, now []string) string {
	switch {
	case len(then) == 0:
		return "set"
	case len(now) == 0:
		return "removed"
	}
	return "changed"
}

// shownKey returns a key without possible secrets: an address may contain a password.
func shownKey(section, sub, name string) string {
	if sub == "" {
		return section + "." + name
	}
	if at := strings.LastIndexByte(sub, '@'); at >= 0 && strings.Contains(sub[:at], "//") {
		sub = sub[:strings.Index(sub, "//")+2] + "…" + sub[at:]
	}
	return belay.VisibleLine(section + "." + sub + "." + name)
}

func keysOf(f *GitFile) (map[string][]string, error) {
	if f == nil {
		return nil, nil
	}
	list, err := git.ParseConfig(f.Data)
	return git.ConfigValues(list), err
}

func remotesOf(keys map[string][]string) map[string]bool {
	names := map[string]bool{}
	for key := range keys {
		if section, sub, _ := git.SplitKey(key); section == "remote" && sub != "" {
			names[sub] = true
		}
	}
	return names
}

// judgeIncluded judges files of the tree that git's config used before the task: hooks in
// core.hooksPath, and included configs. They run, or decide what runs, although they are ordinary
// files.
func (j *gitJudge) judgeIncluded() {
	list, err := git.ParseConfig(j.ConfigBefore)
	if err != nil || len(j.Paths) == 0 {
		return
	}
	for _, e := range list {
		section, _, name := git.SplitKey(e.Key)
		folder, why := "", ""
		switch {
		case e.Key == "core.hookspath":
			folder, why = j.pathInTree(j.Root, e.Value), "core.hooksPath names its folder: git runs it automatically"
		case name == "path" && (section == "include" || section == "includeif"):
			folder, why = j.pathInTree(j.Dir, e.Value), "git's config includes it"
		}
		if folder == "" {
			continue
		}
		for _, p := range j.Paths {
			if p != folder && !strings.HasPrefix(p, folder+"/") || globNamesFolder(j.scope.Files, folder, p) {
				continue
			}
			j.findings = append(j.findings, belay.Finding{Severity: belay.SeverityError, Category: belay.CategoryGit, File: p,
				Title: "a file that git runs or loads changed", Detail: p + ": " + why,
				Recommendation: "restore it; only a person can add it to the task's files, by name"})
		}
	}
}

// pathInTree returns the path in the working tree that a path of the config means, "" if it is
// outside.
func (j *gitJudge) pathInTree(from, value string) string {
	if !path.IsAbs(value) {
		value = path.Join(from, value)
	}
	rel, inside := strings.CutPrefix(path.Clean(value), j.Root+"/")
	if !inside || rel == ".git" || strings.HasPrefix(rel, ".git/") {
		return ""
	}
	return rel
}

// globNamesFolder reports whether one of the globs covers a path and names its folder.
func globNamesFolder(globs []string, folder, p string) bool {
	return slices.ContainsFunc(globs, func(one string) bool {
		return strings.HasPrefix(strings.TrimPrefix(one, "./"), folder) && belay.Covers(one, p)
	})
}
