package config

import (
	"slices"
	"strings"
	"time"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/lazyregexp"
)

// anyName replaces, in a key's name, the name that the user chooses for one of several things, as
// in reviewers.*.command.
const anyName = "*"

var nameRule = lazyregexp.New(`^[A-Za-z][A-Za-z0-9_-]{0,39}$`)

const nameSays = "a name is a letter, then letters, digits, - and _, at most 40"

// one returns the thing called name of a list, or adds fresh, in a list that no copy of the config
// shares.
func one[T any](list *[]T, called func(T) string, name string, fresh T) *T {
	*list = slices.Clone(*list)
	i := slices.IndexFunc(*list, func(t T) bool { return called(t) == name })
	if i < 0 {
		i = len(*list)
		*list = append(*list, fresh)
	}
	return &(*list)[i]
}

func reviewerName(r belay.Reviewer) string   { return r.Name }
func guidelineName(g belay.Guideline) string { return g.ID }
func linterName(l belay.Linter) string       { return l.Name }
func roleName(r Role) string                 { return r.Name }
func standardName(s Standard) string         { return s.Name }
func macroName(m Macro) string               { return m.Name }
func priceName(p belay.Price) string         { return p.Name }

func (c *Config) reviewer(name string) *belay.Reviewer {
	return one(&c.Reviewers, reviewerName, name, belay.Reviewer{Name: name, Timeout: 10 * time.Minute, Threshold: 70})
}

func (c *Config) linter(name string) *belay.Linter {
	return one(&c.Linters, linterName, name, belay.Linter{Name: name, TestCommand: belay.TestCommand{From: "config"}})
}

func (c *Config) role(name string) *Role {
	return one(&c.Roles, roleName, name, Role{Name: name, Closed: true})
}

func (c *Config) standard(name string) *Standard {
	return one(&c.Standards, standardName, name, Standard{Name: name})
}

func (c *Config) macro(name string) *Macro {
	return one(&c.Scopes, macroName, name, Macro{Name: name})
}

func (c *Config) price(name string) *belay.Price {
	return one(&c.Prices, priceName, name,
		belay.Price{Name: name, Input: belay.NoPrice, Output: belay.NoPrice, CacheRead: belay.NoPrice, CacheWrite: belay.NoPrice})
}

// guideline returns the guideline called name, or adds one; a built-in's name starts with the
// built-in's values.
func (c *Config) guideline(name string) *belay.Guideline {
	g := belay.Guideline{ID: name, Enabled: true, Priority: 500}
	for _, b := range belay.BuiltIn() {
		if b.ID == name {
			g = b
		}
	}
	return one(&c.Guidelines, guidelineName, name, g)
}

// AllGuidelines returns all guidelines: the built-in ones, as the file changes them, and the
// file's own.
func (c Config) AllGuidelines() []belay.Guideline {
	out := slices.DeleteFunc(belay.BuiltIn(), func(b belay.Guideline) bool {
		return slices.ContainsFunc(c.Guidelines, func(g belay.Guideline) bool { return g.ID == b.ID })
	})
	return append(out, c.Guidelines...)
}

// named lists, for each group of named things, the names that the config has.
var named = map[string]func(c *Config) []string{
	"linters":    func(c *Config) []string { return names(c.Linters, linterName) },
	"reviewers":  func(c *Config) []string { return names(c.Reviewers, reviewerName) },
	"guidelines": func(c *Config) []string { return names(c.Guidelines, guidelineName) },
	"roles":      func(c *Config) []string { return names(c.Roles, roleName) },
	"standards":  func(c *Config) []string { return names(c.Standards, standardName) },
	"scopes":     func(c *Config) []string { return names(c.Scopes, macroName) },
	"prices":     func(c *Config) []string { return names(c.Prices, priceName) },
}

func names[T any](list []T, called func(T) string) (out []string) {
	for _, t := range list {
		out = append(out, called(t))
	}
	return out
}

// wild reports whether the key is a pattern for named things.
func (k key) wild() bool { return k.of != nil }

// split splits a wild key's name at the placeholder.
func (k key) split() (head, tail string) {
	head, tail, _ = strings.Cut(k.name, "."+anyName+".")
	return head, tail
}

// bind returns the key of the thing called name.
func (k key) bind(name string) key {
	head, tail := k.split()
	of := k.of
	k.name, k.of = head+"."+name+"."+tail, nil
	k.field = func(c *Config) any { return of(c, name) }
	return k
}

// match returns the name in full if full matches the wild key.
func (k key) match(full string) (string, bool) {
	head, tail := k.split()
	rest, ok := strings.CutPrefix(full, head+".")
	if !ok {
		return "", false
	}
	name, ok := strings.CutSuffix(rest, "."+tail)
	return name, ok && nameRule.MatchString(name)
}

// pattern converts the name of a group of one named thing to that of all such groups:
// reviewers.spec to reviewers.*. Other names are unchanged.
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

// all returns the table with each wild key replaced by one for each thing in the config.
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
