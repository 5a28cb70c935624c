package app

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/fsroot"
	"github.com/belay-dev/belay/internal/git"
	"github.com/belay-dev/belay/internal/hook"
	"github.com/belay-dev/belay/internal/snapshot"
)

// judgeToolCall denies a tool call that would destroy work or write to a protected place.
func (h *hookCall) judgeToolCall(ctx context.Context, t belay.Task) {
	for _, p := range h.ev.Tool.Paths {
		if why := h.writeDenial(t, p); why != "" {
			h.ans.Deny = fmt.Sprintf("belay denied this: %s. Do without it, or ask the person.", why)
			return
		}
	}
	mode := t.Session.Destructive
	if h.ev.Tool.Command == "" && !h.ev.Tool.TooLong || mode == belay.DestructiveAllow {
		return
	}
	deeds := findDestructive(h.ev.Tool, h.surroundings(ctx, t))
	if mode == belay.DestructiveSnapshot {
		deeds = slices.DeleteFunc(deeds, func(d hook.DestructiveCommand) bool { return d.InSnapshot })
	}
	if len(deeds) > 0 {
		h.ans.Deny = denial(deeds)
	}
}

// findDestructive returns the destructive commands in a tool call. Shell text of which the end was
// not read counts as one.
func findDestructive(t hook.Tool, w hook.Surroundings) []hook.DestructiveCommand {
	deeds := hook.FindDestructive(t.Command, w)
	if len(deeds) == 0 && t.TooLong {
		deeds = append(deeds, hook.DestructiveCommand{Rule: "too-long", Command: belay.Clip(t.Command, 60),
			Destroys: "the command is too long to be checked (over 1 MiB)",
			Instead:  "write the long text to a file with a file tool, and run a short command"})
	}
	return deeds
}

// denialPrefix begins the message to the agent about a denied command. A person sees only the
// reasons.
const denialPrefix = "belay denied this command; nothing of it was run."

// denyWithoutRepository denies a command that destroys work, judged by its text alone, in a
// repository that belay cannot open.
func denyWithoutRepository(ev hook.Event) (ans hook.Answer) {
	if ev.Kind != hook.Before || ev.Tool.Command == "" && !ev.Tool.TooLong {
		return ans
	}
	root := ev.Dir
	for ; ; root = filepath.Dir(root) {
		if _, err := fsroot.Lstat(filepath.Join(root, ".git")); err == nil {
			break
		}
		if root == filepath.Dir(root) {
			return ans // no repository
		}
	}
	home, _ := os.UserHomeDir()
	w := hook.Surroundings{Root: root, Dir: ev.Dir, Home: home, Git: []string{filepath.Join(root, ".git")}}
	if deeds := findDestructive(ev.Tool, w); len(deeds) > 0 {
		ans.Deny = denial(deeds)
	}
	return ans
}

// denial returns the message to the agent: which commands were not run, and what to do instead.
func denial(deeds []hook.DestructiveCommand) string {
	var b strings.Builder
	b.WriteString(denialPrefix)
	for _, d := range deeds[:min(3, len(deeds))] {
		fmt.Fprintf(&b, "\n%s: %s. Instead: %s.", belay.Clip(belay.VisibleLine(d.Command), 200), d.Destroys, d.Instead)
	}
	return b.String()
}

// writeDenial returns the reason why a tool must not write a file, "" if it may.
func (h *hookCall) writeDenial(t belay.Task, p string) string {
	p = filepath.Clean(fsroot.From(h.ev.Dir, p))
	places := placesOf(p)
	for _, dir := range []string{h.svc.Session.Repo.Dir, h.svc.Session.Repo.Common, filepath.Join(h.svc.Session.Repo.Root, ".git")} {
		for _, one := range places {
			if one == dir || strings.HasPrefix(one, dir+"/") {
				return belay.VisibleLine(p) + " is in git's own folder"
			}
		}
	}
	for _, one := range places {
		rel, err := filepath.Rel(h.svc.Session.Repo.Root, one)
		if err != nil || strings.HasPrefix(rel, "../") {
			continue
		}
		if rel == ".belay/config.yaml" {
			if _, err := fsroot.Lstat(p); err == nil {
				return rel + " says what belay allows"
			}
		}
		if slices.ContainsFunc(t.Scope.Protect, func(glob string) bool { return belay.Covers(glob, rel) }) {
			return belay.VisibleLine(rel) + " is protected (protect in .belay/config.yaml)"
		}
	}
	return ""
}

// placesOf returns p and the places that writing to p reaches through links: those of its folders,
// as far as they exist, and p itself.
func placesOf(p string) []string {
	places := []string{p}
	for range 16 {
		dir, rest := filepath.Dir(p), filepath.Base(p)
		real, err := filepath.EvalSymlinks(dir)
		for err != nil && dir != filepath.Dir(dir) {
			dir, rest = filepath.Dir(dir), filepath.Join(filepath.Base(dir), rest)
			real, err = filepath.EvalSymlinks(dir)
		}
		p = filepath.Join(real, rest)
		places = append(places, p)
		to, err := os.Readlink(p)
		if err != nil {
			break
		}
		p = fsroot.From(filepath.Dir(p), to)
	}
	return places
}

// surroundings returns what the effect of a shell command depends on. Its parts are read on demand.
func (h *hookCall) surroundings(ctx context.Context, t belay.Task) hook.Surroundings {
	r := h.svc.Session.Repo
	dir := fsroot.From(h.ev.Dir, h.ev.Tool.Dir)
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		dir = real
	}
	home, _ := os.UserHomeDir()
	var tracked []git.IndexEntry
	var aliases map[string]string
	return hook.Surroundings{Root: r.Root, Dir: dir, Home: home, Git: []string{r.Dir, r.Common},
		Alias: func(name string) (string, bool) {
			if aliases == nil {
				aliases = aliasesOf(ctx, r)
			}
			text, ok := aliases[strings.ToLower(name)]
			return text, ok
		},
		Tracked: func(match func(string) bool) bool {
			if tracked == nil {
				tracked = indexOf(ctx, r)
			}
			return slices.ContainsFunc(tracked, func(e git.IndexEntry) bool { return match(e.Path) })
		},
		HasIgnored:   func(p string) bool { return isIrreplaceable(ctx, r, p) },
		LosesCommits: func(ref, to string) bool { return losesCommits(ctx, r, ref, to) },
		Protected: func(p string) bool {
			return slices.ContainsFunc(t.Scope.Protect, func(g string) bool { return belay.Covers(g, p) })
		},
	}
}

// indexOf returns the entries of the index, nil if it cannot be read.
func indexOf(ctx context.Context, r *git.Repo) []git.IndexEntry {
	file := filepath.Join(r.Dir, "index")
	data, err := fsroot.ReadFile(file, 1<<30)
	if err == nil {
		if list, err := git.ParseIndex(data, r.HashSize()); err == nil {
			return list
		}
	}
	list, _ := r.ListIndex(ctx, file)
	return list
}

// aliasesOf returns git's aliases, of the repository and of the user.
func aliasesOf(ctx context.Context, r *git.Repo) map[string]string {
	all := map[string]string{}
	out, err := r.Run(ctx, nil, "config", "-z", "--get-regexp", `^alias\.`)
	if err != nil {
		return all
	}
	for one := range strings.SplitSeq(string(out), "\x00") {
		if key, value, ok := strings.Cut(one, "\n"); ok {
			all[strings.ToLower(strings.TrimPrefix(key, "alias."))] = value
		}
	}
	return all
}

// losesCommits reports whether a ref exists and has commits that neither another ref nor to has. HEAD
// and belay's own refs do not count. An empty to is not known.
func losesCommits(ctx context.Context, r *git.Repo, ref, to string) bool {
	args := []string{"rev-list", "--max-count=1", ref, "--not", "--exclude=" + ref, "--exclude=refs/belay/*",
		"--exclude=refs/kept/*", "--exclude=" + snapshot.CommitRefPrefix + "*", "--glob=refs/*"}
	if to != "" {
		args = append(args, to)
	}
	out, err := r.Run(ctx, nil, append(args, "--")...)
	return err == nil && len(out) > 0
}

// isIrreplaceable reports whether git ignores a path and no tool can generate it again.
func isIrreplaceable(ctx context.Context, r *git.Repo, p string) bool {
	info, err := fsroot.Lstat(filepath.Join(r.Root, p))
	if err != nil {
		return false
	}
	if info.IsDir() {
		p += "/"
	}
	if belay.Output(p) != "" {
		return false
	}
	ignored, err := r.Ignorer(ctx).Ask(ctx, []string{p})
	return err == nil && len(ignored) == 1 && ignored[0]
}
