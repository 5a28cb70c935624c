package git

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// Ref is one reference.
type Ref struct {
	Name   string // refs/heads/main
	OID    string // what it names, in hex
	Symref string // for a symbolic reference, the one it names
}

// Refs lists references whose names start with one of the prefixes, all when there
// are none, by name. No object is opened: asked for a type, git would give up the
// whole list over one ref that names nothing.
func (r *Repo) Refs(ctx context.Context, prefixes ...string) ([]Ref, error) {
	args := append([]string{"for-each-ref", "--format=%(refname)%00%(objectname)%00%(symref)"}, prefixes...)
	out, err := r.Run(ctx, nil, args...)
	if err != nil {
		return nil, err
	}
	var refs []Ref
	for line := range bytes.Lines(out) {
		f := strings.Split(strings.TrimSuffix(string(line), "\n"), "\x00")
		if len(f) != 3 {
			return nil, fmt.Errorf("list references: git printed %q", line)
		}
		refs = append(refs, Ref{f[0], f[1], f[2]})
	}
	return refs, nil
}

// Head is what HEAD names.
type Head struct {
	Branch string // the full reference; "" when detached
	OID    string // the commit; "" while the branch has none
}

// Head reads HEAD. refs are those of the repository: where refs are kept in files no
// process is needed. A branch that is itself symbolic is given as HEAD names it.
func (r *Repo) Head(ctx context.Context, refs []Ref) (Head, error) {
	var h Head
	if r.Reftab {
		out, err := r.Run(ctx, nil, "symbolic-ref", "-q", "--no-recurse", "HEAD")
		var f *Failure
		if err != nil && (!errors.As(err, &f) || f.Exit != 1) {
			return h, err
		}
		if h.Branch = strings.TrimSuffix(string(out), "\n"); h.Branch == "" {
			out, err = r.Run(ctx, nil, "rev-parse", "-q", "--verify", "--end-of-options", "HEAD")
			h.OID = strings.TrimSuffix(string(out), "\n")
			return h, err
		}
	} else {
		text, err := os.ReadFile(filepath.Join(r.Dir, "HEAD"))
		if err != nil {
			return h, fmt.Errorf("read HEAD: %w", err)
		}
		line := strings.TrimSpace(string(text))
		branch, symbolic := strings.CutPrefix(line, "ref:")
		if !symbolic {
			if !isOID(line) {
				return h, fmt.Errorf("read HEAD: %q names nothing", line)
			}
			return Head{OID: line}, nil
		}
		h.Branch = strings.TrimSpace(branch)
	}
	for _, ref := range refs {
		if ref.Name == h.Branch {
			h.OID = ref.OID
		}
	}
	return h, nil
}

func isOID(s string) bool {
	if len(s) != 40 && len(s) != 64 {
		return false
	}
	return strings.Trim(s, "0123456789abcdef") == ""
}

// Update is one change of a reference. An empty New deletes it; an empty Old says
// that it must not exist yet.
type Update struct{ Ref, New, Old string }

// UpdateRefs makes all changes or none, each only if the reference still is what Old
// says. HEAD is changed itself, never what it names. Somebody else's lock is waited
// for and then reported (CodeBusy).
func (r *Repo) UpdateRefs(ctx context.Context, why string, list []Update) error {
	if len(list) == 0 {
		return nil
	}
	var in bytes.Buffer
	for _, u := range list {
		old := u.Old
		if old == "" {
			old = r.Zero()
		}
		if u.Ref == "HEAD" {
			in.WriteString("option no-deref\x00")
		}
		if u.New == "" {
			fmt.Fprintf(&in, "delete %s\x00%s\x00", u.Ref, old)
			continue
		}
		fmt.Fprintf(&in, "update %s\x00%s\x00%s\x00", u.Ref, u.New, old)
	}
	return patiently(ctx, func() error {
		_, err := r.Run(ctx, bytes.NewReader(in.Bytes()), "update-ref", "-m", why, "--stdin", "-z")
		return err
	})
}

// SetHead makes HEAD name a branch.
func (r *Repo) SetHead(ctx context.Context, why, branch string) error {
	return patiently(ctx, func() error {
		_, err := r.Run(ctx, nil, "symbolic-ref", "-m", why, "HEAD", branch)
		return err
	})
}

// Zero is the object name that stands for none.
func (r *Repo) Zero() string { return strings.Repeat("0", 2*r.HashSize()) }

// CheckedOut gives the branches that other working trees of this repository have
// checked out, with the folder of each.
func (r *Repo) CheckedOut(ctx context.Context) (map[string]string, error) {
	out, err := r.Run(ctx, nil, "worktree", "list", "--porcelain", "-z")
	if err != nil {
		return nil, err
	}
	held := map[string]string{}
	at, n := "", 0
	for f := range strings.SplitSeq(string(out), "\x00") {
		if path, ok := strings.CutPrefix(f, "worktree "); ok {
			at = path
			n++
		}
		// The main tree comes first. With a separate git dir git names that one and not
		// the tree, so its place in the list has to tell.
		own := at == r.Root || n == 1 && !r.Linked()
		if branch, ok := strings.CutPrefix(f, "branch "); ok && !own {
			held[branch] = at
		}
	}
	return held, nil
}
