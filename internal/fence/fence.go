// Package fence keeps a program, and everything that it starts, from writing outside the places that it was given.
// It needs no privilege and no user namespace. Landlock limits access to folders; a gatekeeper outside the fence, which
// the kernel asks through a seccomp filter, decides about the rest (new files at the top of a tree with a closed git
// folder, sockets, permissions). The package knows what is in a git folder, but nothing of agents and tasks.
package fence

import (
	"cmp"
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
)

// Kind is what a program may do with a path and all that is below it.
type Kind string

// The kinds. Of the rules for a path and the folders above it, the longest path decides; without a rule a path is
// closed.
const (
	Write  Kind = "write"  // anything
	Append Kind = "append" // new files; what is there is neither changed nor removed
	Device Kind = "device" // opened for writing and controlled, nothing made or removed
	Socket Kind = "socket" // a Unix socket that may be used, or a folder of such
	Closed Kind = "closed" // read only
)

// Rule says what may be done with a path. Why is for people.
type Rule struct {
	Path   string `json:"path"`
	Kind   Kind   `json:"kind"`
	Why    string `json:"why,omitempty"`
	Prefix bool   `json:"prefix,omitempty"` // also for names in the same folder that begin like it
}

// ruleOnDisk has the path of a rule in its bytes, as Paths are.
type ruleOnDisk struct {
	*plainRule
	Path []byte `json:"path"`
}

type plainRule Rule

// MarshalJSON implements json.Marshaler.
func (r Rule) MarshalJSON() ([]byte, error) {
	return json.Marshal(ruleOnDisk{(*plainRule)(&r), []byte(r.Path)})
}

// UnmarshalJSON implements json.Unmarshaler.
func (r *Rule) UnmarshalJSON(data []byte) error {
	raw := ruleOnDisk{plainRule: (*plainRule)(r)}
	err := json.Unmarshal(data, &raw)
	r.Path = string(raw.Path)
	return err
}

// Paths are base64 in JSON, of which a string silently loses what is not UTF-8.
type Paths []string

// MarshalJSON implements json.Marshaler.
func (p Paths) MarshalJSON() ([]byte, error) {
	raw := make([][]byte, len(p))
	for i := range p {
		raw[i] = []byte(p[i])
	}
	return json.Marshal(raw)
}

// UnmarshalJSON implements json.Unmarshaler.
func (p *Paths) UnmarshalJSON(data []byte) error {
	var raw [][]byte
	err := json.Unmarshal(data, &raw)
	*p = make(Paths, len(raw))
	for i := range raw {
		(*p)[i] = string(raw[i])
	}
	return err
}

// Policy is a fence as it is written down. Its paths are absolute.
type Policy struct {
	Rules []Rule `json:"rules"`
	Hide  Paths  `json:"hide,omitempty"` // may not be read
	// Ports are the TCP ports that may be connected to and listened on; nil is all of them.
	Ports []uint16 `json:"ports,omitempty"`
	Alone bool     `json:"alone,omitempty"` // no TCP port at all
}

// Denial is an access that the fence refused, and that would have been possible without it.
type Denial struct {
	What    string `json:"what"` // write, remove, permissions, connect …
	Path    string `json:"path"`
	Program string `json:"program"` // its name as the kernel knows it
	Times   int    `json:"times"`
}

// Encloser makes the fence of a program that works in the folder dir: nil for none. more is for its environment; done
// removes what was made for it, when it has ended.
type Encloser func(argv, env []string, dir string) (p *Policy, more []string, done func(), err error)

// mostDenials is how many different ones are remembered.
const mostDenials = 100

// book is a policy prepared for questions about paths.
type book struct {
	exact    map[string]Kind
	prefixes []Rule
	above    map[string]bool // folders that have a closed path below them
	leads    map[string]bool // folders that have an open path below them: they may be made on the way to it
}

// newBook reads a policy. Links in its paths are followed, so that the paths are those that the kernel knows; a path
// that is not there keeps its name below the nearest folder that is.
func newBook(p Policy) book {
	b := book{exact: map[string]Kind{}, above: map[string]bool{}, leads: map[string]bool{}}
	for _, r := range p.Rules {
		path := Real(r.Path)
		if r.Prefix {
			r.Path = path
			b.prefixes = append(b.prefixes, r)
			continue
		}
		b.add(path, r.Kind)
		if r.Kind == Closed { // and a link there, if it is one
			b.add(filepath.Join(Real(filepath.Dir(r.Path)), filepath.Base(r.Path)), Closed)
		}
	}
	slices.SortFunc(b.prefixes, func(x, y Rule) int { return cmp.Compare(len(y.Path), len(x.Path)) })
	return b
}

// add adds a path. What is closed once stays closed, whatever else is said of it.
func (b book) add(path string, kind Kind) {
	if b.exact[path] != Closed {
		b.exact[path] = kind
	}
	if kind == Write {
		for dir := filepath.Dir(path); !b.leads[dir]; dir = filepath.Dir(dir) {
			b.leads[dir] = true
		}
	}
	if kind == Closed || kind == Append { // more than Landlock can say of a folder that is open otherwise
		for dir := filepath.Dir(path); !b.above[dir]; dir = filepath.Dir(dir) {
			b.above[dir] = true
		}
	}
}

// Real gives a path without links. What is not there keeps its name.
func Real(path string) string {
	path = filepath.Clean(path)
	for rest := ""; ; {
		if real, err := filepath.EvalSymlinks(path); err == nil {
			return filepath.Join(real, rest)
		}
		dir := filepath.Dir(path)
		if dir == path {
			return filepath.Join(path, rest)
		}
		rest, path = filepath.Join(filepath.Base(path), rest), dir
	}
}

// kind gives what may be done with a path.
func (b book) kind(path string) Kind {
	for dir := path; ; dir = filepath.Dir(dir) {
		for _, r := range b.prefixes {
			if strings.HasPrefix(dir, r.Path) && filepath.Dir(dir) == filepath.Dir(r.Path) {
				return r.Kind
			}
		}
		if k, ok := b.exact[dir]; ok {
			return k
		}
		if dir == "/" || dir == "." {
			return Closed
		}
	}
}

// removable reports whether a path may be removed or renamed: not if that would take a closed one along, or the place
// of a rule itself that is closed.
func (b book) removable(path string) bool { return b.kind(path) != Closed && !b.above[path] }

// Covers reports whether the policy lets a path be written, as explain and tests ask.
func (p Policy) Covers(path string) bool {
	switch newBook(p).kind(Real(path)) {
	case Write, Append:
		return true
	}
	return false
}
