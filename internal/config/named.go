package config

import (
	"slices"
	"strings"
	"time"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/lazyregexp"
)

// anyName stands in a key's name for the name that the user gives to one of several, as in
// reviewers.*.command.
const anyName = "*"

var nameRule = lazyregexp.New(`^[A-Za-z][A-Za-z0-9_-]{0,39}$`)

const nameSays = "a name is a letter, then letters, digits, - and _, at most 40"

// reviewer gives the reviewer of that name, made when there is none, in a list that no
// copy of c shares.
func (c *Config) reviewer(name string) *belay.Reviewer {
	c.Reviewers = slices.Clone(c.Reviewers)
	for i := range c.Reviewers {
		if c.Reviewers[i].Name == name {
			return &c.Reviewers[i]
		}
	}
	c.Reviewers = append(c.Reviewers, belay.Reviewer{Name: name, Timeout: 10 * time.Minute, Threshold: 70})
	return &c.Reviewers[len(c.Reviewers)-1]
}

// guideline is reviewer for guidelines. One of a built-in's name begins as that.
func (c *Config) guideline(name string) *belay.Guideline {
	c.Guidelines = slices.Clone(c.Guidelines)
	for i := range c.Guidelines {
		if c.Guidelines[i].ID == name {
			return &c.Guidelines[i]
		}
	}
	g := belay.Guideline{ID: name, Enabled: true, Priority: 500}
	for _, b := range belay.BuiltIn() {
		if b.ID == name {
			g = b
		}
	}
	c.Guidelines = append(c.Guidelines, g)
	return &c.Guidelines[len(c.Guidelines)-1]
}

// HouseRules gives all guidelines: the built-in ones, as the file changes them, and the
// file's own.
func (c Config) HouseRules() []belay.Guideline {
	out := slices.DeleteFunc(belay.BuiltIn(), func(b belay.Guideline) bool {
		return slices.ContainsFunc(c.Guidelines, func(g belay.Guideline) bool { return g.ID == b.ID })
	})
	return append(out, c.Guidelines...)
}

// linter gives the linter of that name in the same way.
func (c *Config) linter(name string) *belay.Linter {
	c.Linters = slices.Clone(c.Linters)
	for i := range c.Linters {
		if c.Linters[i].Name == name {
			return &c.Linters[i]
		}
	}
	c.Linters = append(c.Linters, belay.Linter{Name: name, TestCommand: belay.TestCommand{From: "config"}})
	return &c.Linters[len(c.Linters)-1]
}

// named lists, for each group of named things, the names that the config has.
var named = map[string]func(c *Config) []string{
	"linters": func(c *Config) (names []string) {
		for _, l := range c.Linters {
			names = append(names, l.Name)
		}
		return names
	},
	"reviewers": func(c *Config) (names []string) {
		for _, r := range c.Reviewers {
			names = append(names, r.Name)
		}
		return names
	},
	"guidelines": func(c *Config) (names []string) {
		for _, g := range c.Guidelines {
			names = append(names, g.ID)
		}
		return names
	},
}

// wild tells whether the key stands for one of each named thing.
func (k key) wild() bool { return k.of != nil }

// split parts a wild key's name at the name in it.
func (k key) split() (head, tail string) {
	head, tail, _ = strings.Cut(k.name, "."+anyName+".")
	return head, tail
}

// bind makes the key of the thing called name.
func (k key) bind(name string) key {
	head, tail := k.split()
	of := k.of
	k.name, k.of = head+"."+name+"."+tail, nil
	k.field = func(c *Config) any { return of(c, name) }
	return k
}

// match gives the name within full when full is a name that the wild key stands for.
func (k key) match(full string) (string, bool) {
	head, tail := k.split()
	rest, ok := strings.CutPrefix(full, head+".")
	if !ok {
		return "", false
	}
	name, ok := strings.CutSuffix(rest, "."+tail)
	return name, ok && nameRule.MatchString(name)
}

// pattern turns the name of a group of one named thing into the name of all such
// groups: reviewers.spec into reviewers.*. Other names stay.
func pattern(group string) string {
	for head := range named {
		if rest, ok := strings.CutPrefix(group, head+"."); ok && rest != "" {
			name, below, _ := strings.Cut(rest, ".")
			if nameRule.MatchString(name) {
				return strings.TrimSuffix(head+"."+anyName+"."+below, ".")
			}
		}
	}
	return group
}

// all gives the table with, instead of each wild key, one for each thing the config has.
func (c Config) all() []key {
	var out []key
	for i := 0; i < len(keys); {
		if !keys[i].wild() {
			out = append(out, keys[i])
			i++
			continue
		}
		head, _ := keys[i].split()
		end := i
		for end < len(keys) && keys[end].wild() && strings.HasPrefix(keys[end].name, head+".") {
			end++
		}
		for _, name := range named[head](&c) {
			for _, k := range keys[i:end] {
				out = append(out, k.bind(name))
			}
		}
		i = end
	}
	return out
}
