package config

import (
	"slices"
	"strings"
	"time"

	"github.com/belay-dev/belay/internal/belay"
)

// Role is an agent of a pipeline.
type Role struct {
	Name     string
	Command  []string      // the agent's command; empty is the task's
	Prompt   string        // additional instructions for this role
	ReadOnly bool          // it must not change the tree
	Closed   bool          // a read-only role runs with the tree closed
	Parts    []string      // the parts of its export; empty is those of its name
	Timeout  time.Duration // for one run; 0 is the agent's
}

// Standard is a set of files with rules, and the tasks that they apply to.
type Standard struct {
	Name       string
	Files      []string // globs
	Areas      []string // empty is all
	Priorities []string // empty is all
	Sections   []string // by heading or anchor; empty is all
	Commands   []string // shell lines that verify such work; belay shows them and does not run them
}

// Macro is a name for globs; ":name" can be used wherever a task's files are listed.
type Macro struct {
	Name  string
	Files []string
}

// Expand replaces each ":name" in a list of globs with the globs that scopes defines for that name,
// not recursively. Error: belay.CodeUsage for a name that scopes does not define.
func (c Config) Expand(globs []string) ([]string, error) {
	var out []string
	for _, g := range globs {
		name, is := strings.CutPrefix(g, ":")
		if !is {
			out = append(out, g)
			continue
		}
		i := slices.IndexFunc(c.Scopes, func(m Macro) bool { return m.Name == name })
		if i < 0 {
			var known []string
			for _, m := range c.Scopes {
				known = append(known, ":"+m.Name)
			}
			try := "name it below scopes: in " + File
			if len(known) > 0 {
				try += ", or use " + strings.Join(known, ", ")
			}
			return nil, belay.Refuse(belay.CodeUsage, try, "%q stands for no files", Cut(g))
		}
		for _, f := range c.Scopes[i].Files {
			if !slices.Contains(out, f) {
				out = append(out, f)
			}
		}
	}
	return out, nil
}
