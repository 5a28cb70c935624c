package tasklist

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/fsroot"
	"github.com/belay-dev/belay/internal/lazyregexp"
	"github.com/belay-dev/belay/internal/phase"
)

// Plain is belay's own layout, used if no other is in use: specs/NNN-name/ with a file for each
// phase.
const Plain Dialect = "plain"

// Layout is how a tool arranges the documents of a feature: which file is the artefact of which
// phase.
type Layout struct {
	Dialect  Dialect
	Parent   string                 // the folder that contains the features' folders
	Marks    []string               // folders that show that the tool is in use
	Numbered bool                   // folders have names like 003-login
	Files    map[phase.Phase]string // relative to the feature's folder; | separates alternatives, ** is any depth
	Status   string                 // the JSON file with the feature's status; "" for none
}

// Layouts are the known layouts. New features go into the first one in use.
var Layouts = []Layout{
	{SpecKit, ".specify/specs", []string{".specify/specs"}, true, map[phase.Phase]string{
		phase.Specify: "spec.md", phase.CreatePlan: "plan.md", phase.CreateTasks: "tasks.md"}, ""},
	{SpecKit, "specs", []string{".specify"}, true, map[phase.Phase]string{
		phase.Specify: "spec.md", phase.CreatePlan: "plan.md", phase.CreateTasks: "tasks.md"}, ""},
	{SpecKitty, "kitty-specs", []string{".kittify", "kitty-specs"}, true, map[phase.Phase]string{
		phase.Specify: "spec.md", phase.CreatePlan: "plan.md", phase.CreateTasks: "tasks.md"}, ""},
	{OpenSpec, "openspec/changes", []string{"openspec"}, false, map[phase.Phase]string{
		phase.Brainstorm: "proposal.md", phase.Specify: "specs/**.md", phase.Design: "design.md", phase.CreateTasks: "tasks.md"}, ""},
	{Kiro, ".kiro/specs", []string{".kiro"}, false, map[phase.Phase]string{
		phase.Specify: "requirements.md|bugfix.md", phase.Design: "design.md", phase.CreateTasks: "tasks.md"}, "spec.json"},
	{Workitems, ".workitems", []string{".workitems"}, false, map[phase.Phase]string{
		phase.Specify: "user_stories.md|prd.md", phase.Design: "design.md", phase.CreateTasks: "tasks.md"}, ""},
	{Plain, "docs/features", []string{"docs/features"}, true, plainFiles, ".meta.json"},
	{Plain, "specs", nil, true, plainFiles, ".meta.json"},
}

var plainFiles = map[phase.Phase]string{phase.Brainstorm: "brainstorm.md", phase.Specify: "spec.md", phase.Design: "design.md",
	phase.CreatePlan: "plan.md", phase.CreateTasks: "tasks.md"}

// LayoutNames returns the names of the layouts, once each.
func LayoutNames() []string {
	var out []string
	for _, l := range Layouts {
		if !slices.Contains(out, string(l.Dialect)) {
			out = append(out, string(l.Dialect))
		}
	}
	return out
}

// LayoutAt returns the layout of a feature's folder; ok is false if the dialect has no layout with
// that parent folder.
func LayoutAt(dialect, folder string) (l Layout, ok bool) {
	for _, l := range Layouts {
		if string(l.Dialect) == dialect && path.Dir(folder) == l.Parent {
			return l, true
		}
	}
	return Layout{}, false
}

// LayoutsInUse returns the layouts in use in a tree; one without marks counts if no other has its
// parent folder.
func LayoutsInUse(root *fsroot.Root) []Layout {
	var out []Layout
	for _, l := range Layouts {
		used := len(l.Marks) == 0 && !slices.ContainsFunc(out, func(o Layout) bool { return o.Parent == l.Parent })
		for _, m := range l.Marks {
			if info, err := root.Lstat(m); err == nil && info.Kind == fsroot.Folder {
				used = true
			}
		}
		if l.Dialect == SpecKit && !used {
			used = l.hasSpecKitText(root)
		}
		if used {
			out = append(out, l)
		}
	}
	return out
}

// hasSpecKitText reports whether a feature's specification has the second line of spec-kit's
// template: a project may leave .specify/ out of git.
func (l Layout) hasSpecKitText(root *fsroot.Root) bool {
	names, _ := l.Folders(root)
	return slices.ContainsFunc(names, func(n string) bool {
		_, data, err := readTaskFile(root, l.Parent+"/"+n+"/spec.md")
		return err == nil && specKitBranch.Match(data)
	})
}

var specKitBranch = lazyregexp.New("(?m)^\\*\\*Feature Branch\\*\\*: *`")

// Folders returns the names of the features' folders of a layout.
func (l Layout) Folders(root *fsroot.Root) ([]string, error) {
	names, err := root.ReadFolder(l.Parent)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fsroot.ErrNotFolder) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var out []string
	for _, n := range names {
		info, err := root.Lstat(l.Parent + "/" + n)
		if err == nil && info.Kind == fsroot.Folder && n != "archive" && n[0] != '.' {
			out = append(out, n)
		}
	}
	return out, nil
}

// NumberOf returns the number that begins a feature's name; -1 for none.
func NumberOf(name string) int {
	digits := name[:len(name)-len(strings.TrimLeft(name, "0123456789"))]
	rest := name[len(digits):]
	n, err := strconv.Atoi(digits)
	if err != nil || rest != "" && rest[0] != '-' && rest[0] != '_' {
		return -1
	}
	return n
}

const maxName = 80 // bytes

// Slug returns a folder name for a feature: letters and digits of any script in lower case, joined
// by hyphens. Errors (belay.CodeUsage): no letter is left, or it is longer than maxName.
func Slug(name string) (string, error) {
	var b strings.Builder
	for _, r := range strings.ToLower(name) {
		switch {
		case unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r):
			b.WriteRune(r)
		case b.Len() > 0 && !strings.HasSuffix(b.String(), "-"):
			b.WriteByte('-')
		}
	}
	slug := strings.Trim(b.String(), "-")
	switch {
	case !strings.ContainsFunc(slug, unicode.IsLetter):
		return "", belay.Refuse(belay.CodeUsage, "use a name with letters, like login or 003-login", "%q cannot be the name of a feature",
			belay.VisibleLine(name))
	case len(slug) > maxName:
		return "", belay.Refuse(belay.CodeUsage, "use a short name, like login", "the name of the feature is longer than %d bytes",
			maxName)
	}
	return slug, nil
}

// Artefact is the document of a phase, in its current state.
type Artefact struct {
	State    phase.State
	Files    []ArtefactFile
	SHA      string // over the files' names and bytes; "" without files
	TooLarge string // a file that was not read because of its size, or because there are too many
}

// ArtefactFile is one file of an artefact. Path is relative to the root.
type ArtefactFile struct{ Path, Text string }

// MaxArtefact is the maximum size of an artefact's file in bytes: reviewers read all of it.
const MaxArtefact = 4 << 20

const (
	maxArtefactFiles = 100 // files of an artefact
	maxArtefactDepth = 5   // levels of folders
)

// Artefact reads the artefact of a phase in a feature's folder. The state is phase.None if the
// layout has no file for the phase. Links are not followed and count as missing. A file over
// MaxArtefact counts as present, and TooLarge names it.
func (l Layout) Artefact(root *fsroot.Root, folder string, p phase.Phase) (Artefact, error) {
	form, has := l.Files[p]
	if !has {
		return Artefact{State: phase.None}, nil
	}
	a := Artefact{State: phase.Missing}
	sum := sha256.New()
	for one := range strings.SplitSeq(form, "|") {
		names := []string{folder + "/" + one}
		if at, glob := strings.CutSuffix(one, "/**.md"); glob {
			names = markdownFiles(root, folder+"/"+at, 0)
		}
		for _, name := range names {
			info, err := root.Lstat(name)
			if err != nil || info.Kind != fsroot.File && info.Kind != fsroot.Exec {
				continue
			}
			if info.Size > MaxArtefact || len(a.Files) == maxArtefactFiles {
				a.State, a.TooLarge = phase.Present, name
				continue
			}
			_, data, err := readTaskFile(root, name)
			if err != nil {
				return a, err
			}
			fmt.Fprintf(sum, "%s\x00%d\x00%s", strings.TrimPrefix(name, folder), len(data), data)
			a.Files = append(a.Files, ArtefactFile{name, strings.ToValidUTF8(string(data), "\ufffd")})
			if len(bytes.TrimSpace(bytes.TrimPrefix(data, []byte("\ufeff")))) > 0 {
				a.State = phase.Present
			} else if a.State == phase.Missing {
				a.State = phase.Empty
			}
		}
		if a.State != phase.Missing {
			break
		}
	}
	if len(a.Files) > 0 {
		a.SHA = hex.EncodeToString(sum.Sum(nil))
	}
	return a, nil
}

// ArtefactPath returns the path where the artefact of a phase is expected, to show to people.
func (l Layout) ArtefactPath(folder string, p phase.Phase) string {
	form, _, _ := strings.Cut(l.Files[p], "|")
	return path.Join(folder, strings.ReplaceAll(form, "**.md", "NAME/spec.md"))
}

// markdownFiles returns the Markdown files below a folder, sorted.
func markdownFiles(root *fsroot.Root, folder string, depth int) (out []string) {
	names, err := root.ReadFolder(folder)
	if err != nil || depth > maxArtefactDepth {
		return nil // for example: there is no such folder
	}
	for _, n := range names {
		name := folder + "/" + n
		info, err := root.Lstat(name)
		switch {
		case err != nil:
		case info.Kind == fsroot.Folder:
			out = append(out, markdownFiles(root, name, depth+1)...)
		case path.Ext(n) == ".md":
			out = append(out, name)
		}
		if len(out) > maxArtefactFiles {
			break
		}
	}
	return out
}
