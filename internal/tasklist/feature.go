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
	"github.com/belay-dev/belay/internal/phase"
)

// Plain is the layout that belay makes where there is none: specs/NNN-name/ with a file for each phase.
const Plain Dialect = "plain"

// Layout is how a tool arranges the documents of a feature: which file is the artefact of which phase.
type Layout struct {
	Dialect  Dialect
	Parent   string                 // the folder that holds the features' folders
	Marks    []string               // any of these paths shows that the tool is in use
	Numbered bool                   // folders are called NNN-name
	Files    map[phase.Phase]string // below the feature's folder; | separates what may stand for each other, ** is any depth
	Status   string                 // the JSON file in it that says where the feature is, "" for none
}

// Layouts are the known ones. The first that is in use gets new features.
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

// LayoutNames are the names of the layouts, once each.
func LayoutNames() []string {
	var out []string
	for _, l := range Layouts {
		if !slices.Contains(out, string(l.Dialect)) {
			out = append(out, string(l.Dialect))
		}
	}
	return out
}

// LayoutAt is the layout of a feature's folder; ok is false for a folder that is in no place of that layout.
func LayoutAt(dialect, folder string) (l Layout, ok bool) {
	for _, l := range Layouts {
		if string(l.Dialect) == dialect && path.Dir(folder) == l.Parent {
			return l, true
		}
	}
	return Layout{}, false
}

// LayoutsInUse gives the layouts that are in use in a tree: each place once, and the plain one last.
func LayoutsInUse(root *fsroot.Root) []Layout {
	var out []Layout
	for _, l := range Layouts {
		used := len(l.Marks) == 0 && !slices.ContainsFunc(out, func(o Layout) bool { return o.Parent == l.Parent })
		for _, m := range l.Marks {
			if info, err := root.Lstat(m); err == nil && info.Kind == fsroot.Folder {
				used = true
			}
		}
		if used {
			out = append(out, l)
		}
	}
	return out
}

// Folders gives the features' folders of a layout, by their names.
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

// NumberOf is the number that a feature's name begins with, -1 for none.
func NumberOf(name string) int {
	digits := name[:len(name)-len(strings.TrimLeft(name, "0123456789"))]
	rest := name[len(digits):]
	n, err := strconv.Atoi(digits)
	if err != nil || rest != "" && rest[0] != '-' && rest[0] != '_' {
		return -1
	}
	return n
}

const maxName = 80 // bytes of a feature's name

// Slug makes a folder's name of what a person calls a feature: letters and digits of any script in lower case, joined
// by hyphens. Errors: belay.CodeUsage where nothing is left.
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

// Artefact is what a phase produced, as the files say it now.
type Artefact struct {
	State    phase.State
	Files    []ArtefactFile
	SHA      string // over the files' names and bytes; "" where there are none
	TooLarge string // a file that is too large to be read
}

// ArtefactFile is one file of it. Path is from the root.
type ArtefactFile struct{ Path, Text string }

// MaxArtefact is how many bytes an artefact may have: reviewers read all of it.
const MaxArtefact = 4 << 20

const (
	maxArtefactFiles = 100 // files of one artefact
	maxArtefactDepth = 5   // folders of one below another
)

// Artefact reads what a phase produced in a feature's folder. No link is followed: what is one is missing. A file of
// more than MaxArtefact bytes is present and named. phase.None for a phase of which the layout has no file.
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

// ArtefactPath is the path at which the artefact of a phase is expected, for people.
func (l Layout) ArtefactPath(folder string, p phase.Phase) string {
	form, _, _ := strings.Cut(l.Files[p], "|")
	return path.Join(folder, strings.ReplaceAll(form, "**.md", "NAME/spec.md"))
}

// markdownFiles lists the Markdown files below a folder, in order.
func markdownFiles(root *fsroot.Root, folder string, depth int) (out []string) {
	names, err := root.ReadFolder(folder)
	if err != nil || depth > maxArtefactDepth {
		return nil // there is no such folder
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
