package config

import (
	"slices"
	"strings"
	"time"

	"github.com/belay-dev/belay/internal/belay"
)

// Role is one of those who hand work on to each other, in the order of the file.
type Role struct {
	Name     string
	Command  []string      // of the agent; empty is the task's
	Prompt   string        // additional instructions for this role
	ReadOnly bool          // it must leave the tree as it found it
	Closed   bool          // a read-only one runs with the tree closed to it
	Parts    []string      // what its export holds; empty is what its name stands for
	Timeout  time.Duration // of one run; 0 is the agent's
}

// Standard is files of written rules, and for which tasks they are.
type Standard struct {
	Name       string
	Files      []string // globs
	Areas      []string // empty is all
	Priorities []string // empty is all
	Sections   []string // by heading or anchor; empty is all
	Commands   []string // shell lines that prove such work; belay tells them and does not run them
}

// Macro is a name for globs; ":name" stands for them wherever files of a task are named.
type Macro struct {
	Name  string
	Files []string
}

// Expand replaces each ":name" in a list of globs with the globs that scopes gives that
// name. A name within a name is not looked for. Error: belay.CodeUsage for one that scopes
// does not have.
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
