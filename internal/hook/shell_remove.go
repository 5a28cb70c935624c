package hook

import (
	"path"
	"slices"
	"strings"
)

// checkRM checks recursive deletions. Single files are not checked, because a snapshot contains
// them.
func (f *finder) checkRM(name string, args []string) {
	o := options(args)
	deep := name != "rm" || o["r"] || o["R"] || o["recursive"] ||
		slices.ContainsFunc(args, func(a string) bool { return strings.Contains(a, trackedFileNames) })
	if deep {
		f.checkRemove(append([]string{name}, args...), operands(args, "glob"), false)
	}
}

// checkRemoveItem checks PowerShell's commands that delete.
func (f *finder) checkRemoveItem(name string, args []string) {
	recurse := false
	var files []string
	for _, a := range args[1:] {
		switch low := strings.ToLower(a); {
		case low == "-recurse" || low == "-r" || low == "/s":
			recurse = true
		case strings.HasPrefix(a, "-") || low == "/q":
		default:
			files = append(files, a)
		}
	}
	if name == "rmdir" && !recurse {
		return // it deletes only an empty folder
	}
	if recurse {
		f.checkRemove(args, files, false)
	}
}

// checkRsync checks rsync with --delete: in the folder that it copies to, it deletes what the source
// does not have. Of a source without a final slash, that is the folder of the same name there.
func (f *finder) checkRsync(args []string) {
	o := options(args)
	deletes := slices.ContainsFunc(args, func(a string) bool { return a == "--del" || strings.HasPrefix(a, "--delete") })
	if !deletes || hasOption(o, "n", "dry-run", "b", "backup") {
		return
	}
	ops := operands(args[1:], "e rsh f filter exclude include exclude-from include-from files-from T temp-dir backup-dir partial-dir "+
		"link-dest copy-dest compare-dest log-file chmod chown rsync-path password-file max-size min-size bwlimit timeout port")
	if len(ops) < 2 {
		return
	}
	to := ops[len(ops)-1]
	for _, from := range ops[:len(ops)-1] {
		from = from[strings.LastIndexByte(from, ':')+1:]
		if name := path.Base(from); !strings.HasSuffix(from, "/") && strings.Trim(name, ".") != "" {
			f.checkRemove(args, []string{path.Join(to, name)}, false)
		} else {
			f.checkRemove(args, []string{to}, false)
		}
	}
}

// checkRemove checks paths that are deleted.
func (f *finder) checkRemove(command, paths []string, single bool) {
	for _, p := range paths {
		if d, bad := f.deletionLoss(p, single); bad {
			d.Command = quoteArgs(command)
			f.addCommand(d)
			return
		}
	}
}

// deletionLoss returns what is lost if a path is deleted.
func (f *finder) deletionLoss(p string, _ bool) (DestructiveCommand, bool) {
	if strings.Contains(p, trackedFileNames) {
		return DestructiveCommand{Rule: "rm", Destroys: "tracked files are deleted, with their uncommitted changes", InSnapshot: true,
			Instead: "delete the files that you made, by name"}, true
	}
	abs, ok := f.absPath(p)
	if !ok {
		return DestructiveCommand{}, false
	}
	if f.inGit(abs) {
		return DestructiveCommand{}, false // checkGitFiles has checked it
	}
	rel, ok := f.inTree(abs)
	if !ok {
		if abs == "/" || strings.HasPrefix(f.env.Root+"/", strings.TrimSuffix(strings.TrimSuffix(abs, "/*"), "/")+"/") {
			return DestructiveCommand{Rule: "rm", Destroys: "the repository itself is deleted", Instead: insteadAsk}, true
		}
		return DestructiveCommand{}, false
	}
	ignored := !strings.ContainsAny(rel, "*?[") && f.hasIgnored(rel)
	switch {
	case rel == "." || f.coversTracked(rel):
		return DestructiveCommand{Rule: "rm", Destroys: "tracked files are deleted, with their uncommitted changes",
			InSnapshot: rel != "." && !ignored, // a snapshot of a large repository has no ignored files
			Instead:    "use git rm -r, which keeps files with uncommitted changes, or delete the files one by one"}, true
	case ignored:
		return DestructiveCommand{Rule: "rm", Destroys: "ignored files are deleted, which git cannot bring back", Instead: insteadAsk}, true
	}
	return DestructiveCommand{}, false
}

func (f *finder) hasIgnored(rel string) bool { return f.env.HasIgnored != nil && f.env.HasIgnored(rel) }

// coverTest returns a function that reports whether a path matches the pattern or is below a match.
// Both are relative to the root.
func coverTest(pattern string) func(string) bool {
	if pattern == "." {
		return func(string) bool { return true }
	}
	parts := strings.Split(strings.TrimSuffix(pattern, "/"), "/")
	if !strings.ContainsAny(pattern, `*?[\`) {
		clean := strings.Join(parts, "/")
		return func(p string) bool { return p == clean || strings.HasPrefix(p, clean+"/") }
	}
	return func(p string) bool {
		for _, want := range parts {
			part, rest, _ := strings.Cut(p, "/")
			if part == "" {
				return false
			}
			hidden := strings.HasPrefix(part, ".") && !strings.HasPrefix(want, ".")
			if ok, err := path.Match(want, part); want != "**" && (err != nil || !ok || hidden) {
				return false
			}
			p = rest
		}
		return true
	}
}

// findArguments is what find's arguments select and do.
type findArguments struct {
	roots, names []string
	folders      bool // only folders
	deletes      bool
	commands     [][]string // commands that it runs
}

// parseFind parses the arguments of find.
func (f *finder) parseFind(args []string) (s findArguments) {
	i := 1
	for ; i < len(args) && !strings.HasPrefix(args[i], "-") && args[i] != "(" && args[i] != "!"; i++ {
		s.roots = append(s.roots, args[i])
	}
	if len(s.roots) == 0 {
		s.roots = []string{"."}
	}
	for ; i < len(args); i++ {
		switch a := args[i]; a {
		case "-delete":
			s.deletes = true
		case "-name", "-iname", "-path", "-wholename", "-ipath", "-regex":
			negated := args[i-1] == "!" || args[i-1] == "-not"
			if i++; i < len(args) && !negated {
				name := args[i]
				if a == "-regex" {
					name = "*"
				}
				s.names = append(s.names, name)
			}
		case "-type":
			if i++; i < len(args) {
				s.folders = args[i] == "d"
			}
		case "-exec", "-execdir", "-ok", "-okdir", "-x", "-X", "--exec", "--exec-batch":
			run := []string{}
			for i++; i < len(args) && args[i] != ";" && args[i] != "+"; i++ {
				run = append(run, args[i])
			}
			if len(run) > 0 {
				s.commands = append(s.commands, run)
			}
		}
	}
	return s
}

// checkFind checks find with -delete or with a command that deletes.
func (f *finder) checkFind(args []string) {
	s := f.parseFind(args)
	for _, run := range s.commands {
		if name := path.Base(run[0]); name == "rm" || name == "unlink" || name == "shred" {
			s.deletes = true
			continue
		}
		for k, r := range run {
			run[k] = strings.ReplaceAll(r, "{}", unknownText)
		}
		f.checkCommand(run)
	}
	if !s.deletes {
		return
	}
	if f.selectsTracked(s) {
		ignored := slices.ContainsFunc(s.roots, func(root string) bool {
			abs, _ := f.absPath(root)
			rel, in := f.inTree(abs)
			return in && len(s.names) == 0 && f.hasIgnored(rel)
		})
		f.addCommand(DestructiveCommand{Rule: "rm", Command: quoteArgs(args), InSnapshot: !ignored,
			Destroys: "tracked files are deleted, with their uncommitted changes",
			Instead:  "delete the files that you made, by name"})
		return
	}
	for _, root := range s.roots {
		abs, ok := f.absPath(root)
		if !ok {
			continue
		}
		rel, in := f.inTree(abs)
		if !in {
			f.checkRemove(args, []string{root}, false)
		} else if len(s.names) == 0 && f.hasIgnored(rel) {
			f.addCommand(DestructiveCommand{Rule: "rm", Command: quoteArgs(args),
				Destroys: "ignored files are deleted, which git cannot bring back",
				Instead:  insteadAsk})
		}
	}
}

// selectsTracked reports whether find selects a tracked file.
func (f *finder) selectsTracked(s findArguments) bool {
	for _, root := range s.roots {
		abs, ok := f.absPath(root)
		if !ok {
			continue
		}
		rel, ok := f.inTree(abs)
		if !ok || f.env.Tracked == nil {
			continue
		}
		below := coverTest(rel)
		if f.env.Tracked(func(p string) bool { return below(p) && isSelected(p, rel, s.names, s.folders) }) {
			return true
		}
	}
	return false
}

// isSelected reports whether one of find's names selects a file or a folder that contains it.
func isSelected(p, root string, names []string, folders bool) bool {
	if len(names) == 0 {
		return true
	}
	parts := strings.Split(p, "/")
	skip := 0
	if root != "." {
		skip = len(strings.Split(root, "/"))
	}
	for _, name := range names {
		if strings.Contains(name, "/") {
			clean := strings.Trim(strings.TrimPrefix(name, "./"), "*")
			if strings.Contains("/"+p, clean) {
				return true
			}
			continue
		}
		for i, part := range parts {
			if i < skip || i < len(parts)-1 && !folders && len(names) == 1 && strings.Contains(name, ".") {
				continue
			}
			if ok, err := path.Match(name, part); ok && err == nil {
				return true
			}
		}
	}
	return false
}
