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

// Kind is what a program may do with a path and everything below it.
type Kind string

// Kinds of rules. Of the rules for a path and its parent folders, the one with the longest path
// applies; a path without a rule is closed.
const (
	Write  Kind = "write"  // anything
	Append Kind = "append" // create files; existing ones are neither changed nor removed
	Device Kind = "device" // open for writing and ioctl; nothing is created or removed
	Socket Kind = "socket" // connect to a Unix socket, or to those in a folder
	Closed Kind = "closed" // read only
)

// Rule is the permission for a path. Why is shown to people.
type Rule struct {
	Path   string `json:"path"`
	Kind   Kind   `json:"kind"`
	Why    string `json:"why,omitempty"`
	Prefix bool   `json:"prefix,omitempty"` // also applies to names in the same folder that begin with it
}

// ruleOnDisk stores the path of a rule as bytes, see Paths.
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

// Paths are base64 in JSON, because a JSON string silently loses bytes that are not UTF-8.
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

// Policy is the serializable form of a fence. Its paths are absolute.
type Policy struct {
	Rules []Rule `json:"rules"`
	Hide  Paths  `json:"hide,omitempty"` // may not be read
	// Ports are the TCP ports to which programs may connect and on which they may listen; nil is
	// all.
	Ports []uint16 `json:"ports,omitempty"`
	Alone bool     `json:"alone,omitempty"` // no TCP port at all
}

func (p Policy) restrictsPorts() bool { return p.Alone || len(p.Ports) > 0 }

// Denial is an access that the fence refused, and that would have succeeded without it.
type Denial struct {
	What    string `json:"what"` // write, remove, permissions, connect …
	Path    string `json:"path"`
	Program string `json:"program"` // its name in the kernel (comm)
	Times   int    `json:"times"`
}

// Encloser makes the fence of a program that works in the folder dir: nil for none. more is added
// to its environment; done removes temporary files after the program has ended.
type Encloser func(argv, env []string, dir string) (p *Policy, more []string, done func(), err error)

// mostDenials is the maximum number of different denials that are recorded.
const mostDenials = 100

// book is a policy prepared for lookups by path.
type book struct {
	exact    map[string]Kind
	prefixes []Rule
	above    map[string]bool // folders with a closed path below them
	leads    map[string]bool // folders with an open path below them, which may be created on the way to it
}

// newBook prepares a policy. It resolves links in the paths, because the kernel reports resolved
// paths; the missing part of a path is kept.
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
		if r.Kind == Closed { // also the link itself, if it is one
			b.add(filepath.Join(Real(filepath.Dir(r.Path)), filepath.Base(r.Path)), Closed)
		}
	}
	slices.SortFunc(b.prefixes, func(x, y Rule) int { return cmp.Compare(len(y.Path), len(x.Path)) })
	return b
}

// add adds a path. A closed path stays closed, even with other rules.
func (b book) add(path string, kind Kind) {
	if b.exact[path] != Closed {
		b.exact[path] = kind
	}
	if kind == Write {
		for dir := filepath.Dir(path); !b.leads[dir]; dir = filepath.Dir(dir) {
			b.leads[dir] = true
		}
	}
	if kind == Closed || kind == Append { // Landlock cannot restrict this within an open folder
		for dir := filepath.Dir(path); !b.above[dir]; dir = filepath.Dir(dir) {
			b.above[dir] = true
		}
	}
}

// Real returns a path with its links resolved. The missing part of a path is kept.
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

// kind returns what may be done with a path.
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

// removable reports whether a path may be removed or renamed: not if it is closed, or contains a
// closed path.
func (b book) removable(path string) bool { return b.kind(path) != Closed && !b.above[path] }

// Covers reports whether the policy allows writing to a path.
func (p Policy) Covers(path string) bool {
	switch newBook(p).kind(Real(path)) {
	case Write, Append:
		return true
	}
	return false
}
