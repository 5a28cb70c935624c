package handoff

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/belay-dev/belay/internal/belay"
)

// Block is the immutable part of a context. It contains no times and no people, so that the same
// sources at the same commit give the same bytes everywhere.
type Block struct {
	Version   int          `json:"version"`
	Task      TaskPart     `json:"task"`
	Git       GitPart      `json:"git"`
	Citations []Citation   `json:"standards_citations"`
	Baseline  BaselinePart `json:"validation_baseline"`
	Paths     []string     `json:"repo_paths"`
	MorePaths int          `json:"repo_paths_not_listed,omitempty"`
	ScopeHash string       `json:"scope_hash"`
}

// TaskPart is what the task asks for.
type TaskPart struct {
	ID          belay.TaskID `json:"id"`
	Title       string       `json:"title"`
	Priority    string       `json:"priority,omitempty"`
	Area        string       `json:"area,omitempty"`
	Description string       `json:"description"`
	ScopeIn     []string     `json:"scope_in"`
	ScopeOut    []string     `json:"scope_out"`
	Acceptance  []string     `json:"acceptance_criteria"`
	Preserve    []string     `json:"preserve,omitempty"`
}

// GitPart is the starting point of the work. Source is the file that the task was read from, "" for
// none. SHA is of its bytes with LF line ends, or else of the task's text.
type GitPart struct {
	Head   string `json:"head"`
	Source string `json:"task_file,omitempty"`
	SHA    string `json:"task_file_sha"`
}

// BaselinePart lists the commands that verify the work.
type BaselinePart struct {
	Commands []Command `json:"commands"`
}

// MaxPaths limits the paths that a block lists; ScopeHash covers all of them.
const MaxPaths = 500

// Sources is the input of MakeBlock.
type Sources struct {
	Task       belay.Task
	Area       string // the task's area
	Priority   string
	Acceptance []string // of the task file; if empty, the requirements from the task's text are used
	Source     string   // path of the task file
	SourceText []byte
	Head       string
	Standards  SelectedStandards
	TestsFrom  string   // where the task's test command is from, see Command
	Paths      []string // files of the repository in the task's scope
}

// MakeBlock returns the block for a task. Errors (belay.CodeUsage): the task has no description.
func MakeBlock(s Sources) (Block, error) {
	t := s.Task
	description := NormalizeText(t.Prose)
	if description == "" {
		return Block{}, belay.Refuse(belay.CodeUsage, "describe the task: belay task add \"…\"",
			"%s has no description to hand over", t.ID)
	}
	whole := "belay show " + string(t.ID)
	text := []byte(t.Prose)
	if s.Source != "" {
		whole, text = s.Source, s.SourceText
	}
	b := Block{
		Version: Version,
		Task: TaskPart{
			ID: t.ID, Title: NormalizeText(t.Title), Priority: s.Priority, Area: s.Area, Description: TruncateText(description, whole),
			ScopeIn: jsonTexts(t.Scope.Files), ScopeOut: jsonTexts(slices.Concat(t.Scope.Protect, t.Exclude)),
			Acceptance: acceptanceCriteria(s, whole), Preserve: jsonTexts(t.Request.Preserve),
		},
		Git:       GitPart{Head: s.Head, Source: s.Source, SHA: Hash(text)},
		Citations: slices.Clone(s.Standards.Citations),
		Baseline:  BaselinePart{Commands: validationCommands(s)},
		ScopeHash: ScopeHash(s.Paths),
	}
	if b.Citations == nil {
		b.Citations = []Citation{}
	}
	paths := slices.Clone(s.Paths)
	slices.Sort(paths)
	if b.MorePaths = max(0, len(paths)-MaxPaths); b.MorePaths > 0 {
		paths = paths[:MaxPaths]
	}
	b.Paths = jsonTexts(paths)
	return b, nil
}

// jsonTexts returns a list as valid UTF-8, sorted and without duplicates. It is never nil.
func jsonTexts(list []string) []string {
	out := make([]string, 0, len(list))
	for _, s := range list {
		out = append(out, PathText(s))
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// acceptanceCriteria returns the task's criteria, or else one for each requirement from its text,
// in their order.
func acceptanceCriteria(s Sources, whole string) []string {
	out := []string{}
	for _, a := range s.Acceptance {
		if a = NormalizeText(a); a != "" {
			out = append(out, TruncateText(a, whole))
		}
	}
	if len(out) > 0 {
		return out
	}
	for _, r := range s.Task.Request.Requirements {
		text := string(r.Marker)
		if r.Count != nil {
			text += fmt.Sprintf(" (%d)", *r.Count)
		}
		out = append(out, TruncateText(NormalizeText(text+": "+r.Text), whole))
	}
	return out
}

// validationCommands returns the commands that verify the work: of the task, of the standards, and
// then the configured or detected ones, each once.
func validationCommands(s Sources) []Command {
	tests := Command{Command: s.Task.Checks.Tests.String(), From: s.TestsFrom}
	var all []Command
	for _, c := range s.Task.QA {
		all = append(all, Command{Command: c, From: "task"})
	}
	if tests.From == "task" {
		all = append(all, tests)
	}
	all = append(all, s.Standards.Commands...)
	if tests.From != "task" && s.Task.Checks.Tests.Set() {
		all = append(all, tests)
	}
	for _, l := range s.Task.Checks.Linters {
		all = append(all, Command{Command: l.String(), From: cmp.Or(l.From, "detected")})
	}
	out := []Command{}
	for _, c := range all {
		c.Command = strings.TrimSpace(PathText(c.Command))
		if c.Command != "" && !slices.ContainsFunc(out, func(o Command) bool { return o.Command == c.Command }) {
			out = append(out, c)
		}
	}
	return out
}

// ScopeHash identifies a set of paths: the first 16 hex digits of the SHA-256 of the sorted paths,
// each with a newline. File contents do not count.
func ScopeHash(paths []string) string {
	paths = slices.Clone(paths)
	slices.Sort(paths)
	var b strings.Builder
	for _, p := range slices.Compact(paths) {
		b.WriteString(p + "\n")
	}
	return SHA256Hex([]byte(b.String()))[:16]
}

// Manifest lists the sources of a block and its exports, and the versions that produced them.
type Manifest struct {
	Version    int         `json:"version"`
	Serialiser string      `json:"serialiser"`
	Normaliser string      `json:"normaliser"`
	Block      string      `json:"block"` // SHA-256
	Sources    []Source    `json:"sources"`
	Exports    []ExportRef `json:"exports,omitempty"`
}

// Source is a file that was read. SHA is of its bytes with LF line ends.
type Source struct {
	Kind  string `json:"kind"` // task, standard, instructions, config
	Path  string `json:"path"`
	SHA   string `json:"sha256"`
	Bytes int    `json:"bytes"`
}

// DifferencesFrom describes the differences from an earlier block, one sentence each.
func (b Block) DifferencesFrom(was Block) []string {
	var out []string
	say := func(what string, changed bool) {
		if changed {
			out = append(out, what+" changed")
		}
	}
	say("the task's text", b.Task.Description != was.Task.Description || b.Task.Title != was.Task.Title || b.Git.SHA != was.Git.SHA)
	say("area or priority", b.Task.Area != was.Task.Area || b.Task.Priority != was.Task.Priority)
	say("the scope", !slices.Equal(b.Task.ScopeIn, was.Task.ScopeIn) || !slices.Equal(b.Task.ScopeOut, was.Task.ScopeOut))
	say("the acceptance criteria", !slices.Equal(b.Task.Acceptance, was.Task.Acceptance))
	say("the verification commands", !slices.Equal(b.Baseline.Commands, was.Baseline.Commands))
	say("the paths in scope", b.ScopeHash != was.ScopeHash)
	say("HEAD", b.Git.Head != was.Git.Head)
	return append(out, citationDiff(was.Citations, b.Citations)...)
}

func citationDiff(was, now []Citation) (out []string) {
	name := func(c Citation) string { return c.File + "#" + c.Section }
	old := map[string]Citation{}
	for _, c := range was {
		old[name(c)] = c
	}
	for _, c := range now {
		o, known := old[name(c)]
		delete(old, name(c))
		switch {
		case !known:
			out = append(out, name(c)+" is newly cited")
		case o.SHA != c.SHA:
			out = append(out, fmt.Sprintf("%s now says %q, before %q", name(c), c.Requirement, o.Requirement))
		case o.Lines != c.Lines:
			out = append(out, fmt.Sprintf("%s is now in %s, before in %s", name(c), c.Lines, o.Lines))
		}
	}
	for _, c := range was {
		if _, gone := old[name(c)]; gone {
			out = append(out, name(c)+" is no longer cited")
		}
	}
	return out
}
