package handoff

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/belay-dev/belay/internal/belay"
)

// Rule is an entry of the config's standards: files, the areas and priorities that they apply to,
// their sections, and the commands that verify such work. An empty list means all.
type Rule struct {
	Name       string   `json:"name"`
	Files      []string `json:"files"`
	Areas      []string `json:"areas,omitempty"`
	Priorities []string `json:"priorities,omitempty"`
	Sections   []string `json:"sections,omitempty"`
	Commands   []string `json:"commands,omitempty"`
}

// AppliesTo reports whether the rule applies to a task of this area and priority. A rule with areas
// does not apply to a task without an area.
func (r Rule) AppliesTo(area, priority string) bool {
	return containsName(r.Areas, area) && containsName(r.Priorities, priority)
}

func containsName(list []string, word string) bool {
	return len(list) == 0 || slices.ContainsFunc(list, func(l string) bool { return strings.EqualFold(l, word) })
}

// Instructions are files with instructions for everybody. They are always cited if they exist.
var Instructions = []string{"AGENTS.md", "CLAUDE.md", "CONTRIBUTING.md", ".github/CONTRIBUTING.md", "docs/CONTRIBUTING.md"}

// SelectedStandards are the standards that apply to a task.
type SelectedStandards struct {
	Citations []Citation
	Files     []string  // the cited files, sorted
	Commands  []Command // from the rules, then from sections about QA commands
	Warnings  []string  // files and sections of the config that do not exist, one sentence each
}

// Command is a command that verifies work, and its origin.
type Command struct {
	Command string `json:"command"`
	From    string `json:"from"` // task, standards.NAME, standards/file.md#section, config, detected
}

// SelectStandards cites what the rules select, sorted by file and line, without duplicates.
func SelectStandards(rules []Rule, area, priority string, docs []Document) SelectedStandards {
	var out SelectedStandards
	seen := map[string]bool{}
	docs = slices.Clone(docs)
	slices.SortFunc(docs, func(a, b Document) int { return strings.Compare(a.Path, b.Path) })
	take := func(d Document, rule string, names []string) []string {
		cited, missing := CiteAll(d, names)
		for _, c := range cited {
			key := c.File + "\x00" + c.Lines
			if c.Rule = rule; !seen[key] {
				seen[key] = true
				out.Citations = append(out.Citations, c)
			}
		}
		return missing
	}
	rules = slices.Clone(rules)
	slices.SortStableFunc(rules, func(a, b Rule) int { return strings.Compare(a.Name, b.Name) })
	for _, r := range rules {
		if !r.AppliesTo(area, priority) {
			continue
		}
		for _, c := range r.Commands {
			out.Commands = append(out.Commands, Command{c, "standards." + r.Name})
		}
		out.Warnings = append(out.Warnings, r.cite(docs, take)...)
	}
	for _, d := range docs {
		if slices.Contains(Instructions, d.Path) {
			take(d, "", nil)
		}
	}
	slices.SortStableFunc(out.Citations, compareByPlace)
	out.finish(docs)
	return out
}

// cite cites the sections that the rule selects, and returns a warning for each that does not
// exist.
func (r Rule) cite(docs []Document, take func(Document, string, []string) []string) (doubts []string) {
	unfound := slices.Clone(r.Sections)
	any := false
	for _, d := range docs {
		if !belay.Match(r.Files, d.Path) {
			continue
		}
		any = true
		missing := take(d, r.Name, r.Sections)
		unfound = slices.DeleteFunc(unfound, func(n string) bool { return !slices.Contains(missing, n) })
	}
	if !any {
		return []string{fmt.Sprintf("standards.%s matches no file: %s", r.Name, strings.Join(r.Files, ", "))}
	}
	for _, n := range unfound {
		doubts = append(doubts, fmt.Sprintf("standards.%s: no file has the section %q", r.Name, n))
	}
	return doubts
}

// finish adds the cited files and the commands in cited sections.
func (c *SelectedStandards) finish(docs []Document) {
	for _, one := range c.Citations {
		c.Files = append(c.Files, one.File)
		for _, d := range docs {
			if d.Path != one.File {
				continue
			}
			for _, s := range d.Sections {
				if s.Slug == one.Section {
					for _, line := range Commands(s) {
						c.Commands = append(c.Commands, Command{line, one.File + "#" + one.Section})
					}
				}
			}
		}
	}
	slices.Sort(c.Files)
	c.Files = slices.Compact(c.Files)
}

func compareByPlace(a, b Citation) int {
	return cmp.Or(strings.Compare(a.File, b.File), firstLine(a)-firstLine(b))
}

func firstLine(c Citation) int {
	var start int
	fmt.Sscanf(c.Lines, "L%d", &start)
	return start
}

// Commands returns the shell lines in the fences of a section about QA commands: the title has the
// word QA, quality, validation, verification or test, and "command".
func Commands(s Section) []string {
	title := strings.ToLower(s.Title)
	about := slices.ContainsFunc([]string{"qa", "quality", "validation", "verification", "test"}, func(w string) bool {
		return slices.Contains(strings.FieldsFunc(title, func(r rune) bool { return r == ' ' || r == '-' || r == '/' }), w)
	})
	if !about || !strings.Contains(title, "command") {
		return nil
	}
	var out []string
	var fence fence
	for _, line := range textLines(s.Body) {
		began := fence.mark != ""
		if !fence.next(line) || !began || fence.mark == "" || !shellFence(fence.info) {
			continue
		}
		line = strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(line), "$ "))
		if line != "" && !strings.HasPrefix(line, "#") {
			out = append(out, line)
		}
	}
	return out
}

func shellFence(info string) bool {
	word, _, _ := strings.Cut(strings.ToLower(strings.TrimSpace(info)), " ")
	return slices.Contains([]string{"", "sh", "bash", "shell", "zsh", "console", "shell-session"}, word)
}
