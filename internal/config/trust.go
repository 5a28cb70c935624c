package config

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/fsroot"
)

// TrustList is the user's list of blocks of commands that may run, each for one repository. It is
// outside every repository, so that none can trust itself. Several processes may use it at once.
type TrustList struct {
	path string
	err  error // why there is no path
}

// file is the list on disk, version 1.
type file struct {
	Version int     `json:"v"`
	Trusted []entry `json:"trusted"`
}

// entry is one trusted text. Note is the text itself; it is "" for a command that a person typed,
// of which only the hash is stored, because it may contain a key.
type entry struct {
	Repo string `json:"repo"`
	Hash string `json:"hash"`
	Note string `json:"note"`
}

const (
	maxTrust  = 16 << 20
	mostTyped = 10_000
	trustWait = 10 * time.Second
)

// Open returns the list in the file path. "" is trust.json in $BELAY_CONFIG_HOME, or else in belay
// below the user's config folder. It accesses nothing; a list that does not exist trusts nothing.
func Open(path string) *TrustList {
	if path != "" {
		return &TrustList{path: path}
	}
	if home := os.Getenv("BELAY_CONFIG_HOME"); home != "" {
		return &TrustList{path: filepath.Join(home, "trust.json")}
	}
	dir, err := os.UserConfigDir()
	if err != nil {
		return &TrustList{err: &belay.Error{Code: belay.CodeCannot, What: "there is no folder for the list of trusted commands",
			Try: "set HOME or BELAY_CONFIG_HOME", Err: err}}
	}
	return &TrustList{path: filepath.Join(dir, "belay", "trust.json")}
}

// Trusted reports whether the text may run in the repository with this identity. A list that cannot
// be read is an error (belay.CodeCannot), never true; the empty text runs nothing and needs no
// trust.
func (t *TrustList) Trusted(repo, text string) (bool, error) {
	if text == "" {
		return true, nil
	}
	list, err := t.read()
	if err != nil {
		return false, err
	}
	return slices.ContainsFunc(list.Trusted, func(e entry) bool { return e.is(repo, Hash(text)) }), nil
}

// Hash returns the key of a text in the list: its SHA-256 in hex, "" for the empty text.
func Hash(text string) string {
	if text == "" {
		return ""
	}
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

// Add trusts texts, which are stored in the list as notes for people. An existing one is moved to
// the end. The list is on the disk when Add returns. Errors: belay.CodeCannot if the list cannot be
// read (it is then left unchanged) or written, belay.CodeBusy if another process locks it for ten
// seconds.
func (t *TrustList) Add(repo string, texts ...string) error {
	var add []entry
	for _, text := range texts {
		if text != "" {
			add = append(add, entry{Repo: repo, Hash: Hash(text), Note: text})
		}
	}
	return t.add(add)
}

func (t *TrustList) add(add []entry) error {
	if len(add) == 0 {
		return belay.Refuse(belay.CodeUsage, "belay trust --show", "there is nothing to trust")
	}
	return t.change(func(list *file) {
		for _, e := range add {
			list.remove(e.Repo, e.Hash)
			list.Trusted = append(list.Trusted, e)
		}
		list.forget(mostTyped)
	})
}

// Forget removes all trust of a repository, including typed commands. Errors as for Add.
func (t *TrustList) Forget(repo string) error {
	list, err := t.read()
	if err != nil || !slices.ContainsFunc(list.Trusted, func(e entry) bool { return e.Repo == repo }) {
		return err
	}
	return t.change(func(list *file) {
		list.Trusted = slices.DeleteFunc(list.Trusted, func(e entry) bool { return e.Repo == repo })
	})
}

func (f *file) remove(repo, hash string) {
	f.Trusted = slices.DeleteFunc(f.Trusted, func(e entry) bool { return e.is(repo, hash) })
}

// forget keeps only the newest typed commands, because a script that types a different one each
// time must not fill the list.
func (f *file) forget(most int) {
	over := -most
	for _, e := range f.Trusted {
		if e.Note == "" {
			over++
		}
	}
	f.Trusted = slices.DeleteFunc(f.Trusted, func(e entry) bool {
		if e.Note != "" || over <= 0 {
			return false
		}
		over--
		return true
	})
}

func (e entry) is(repo, hash string) bool { return e.Repo == repo && e.Hash == hash }

func (t *TrustList) read() (file, error) {
	empty := file{Version: 1, Trusted: []entry{}}
	if t.err != nil {
		return empty, t.err
	}
	data, err := fsroot.ReadUserFile(t.path, maxTrust)
	if errors.Is(err, fs.ErrNotExist) {
		return empty, nil
	}
	if err != nil {
		return empty, t.cannot("read", err)
	}
	list, err := parseTrust(data)
	if err != nil {
		return empty, t.cannot("read", err)
	}
	return list, nil
}

func parseTrust(data []byte) (list file, err error) {
	if len(data) > maxTrust {
		return list, fmt.Errorf("it is larger than %d MiB", maxTrust>>20)
	}
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&list); err != nil {
		return list, err
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return list, errors.New("there is text after the list")
	}
	if list.Version != 1 {
		return list, fmt.Errorf("it has version %d; this belay reads version 1", list.Version)
	}
	return list, nil
}

func (t *TrustList) cannot(do string, err error) error {
	return &belay.Error{Code: belay.CodeCannot, What: "cannot " + do + " the list of trusted commands, " + t.path,
		Try: "fix it, or move it away and trust again", Err: err}
}

// change reads the list, edits it and replaces it, under a lock, so that two processes may change
// it at once.
func (t *TrustList) change(edit func(*file)) error {
	if t.err != nil {
		return t.err
	}
	path, err := filepath.EvalSymlinks(t.path) // people link their config folder to another place
	if err != nil {
		path = t.path
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return t.cannot("write", err)
	}
	dir, err := filepath.EvalSymlinks(filepath.Dir(path))
	if err != nil {
		return t.cannot("write", err)
	}
	path = filepath.Join(dir, filepath.Base(path))
	lock := fsroot.NewLock(path + ".lock")
	ctx, cancel := context.WithTimeout(context.Background(), trustWait)
	defer cancel()
	if _, err := lock.TryLockContext(ctx, 5*time.Millisecond); ctx.Err() != nil {
		return belay.Refuse(belay.CodeBusy, "try again", "the list of trusted commands, %s, is locked by another process", path)
	} else if err != nil {
		return t.cannot("lock", err)
	}
	defer lock.Unlock()
	list, err := t.read()
	if err != nil {
		return err
	}
	edit(&list)
	text, err := json.MarshalIndent(list, "", "  ")
	if err == nil {
		err = fsroot.AtomicWrite(path, fsroot.AtomicOptions{Synced: true, FixedName: true}, text, []byte{'\n'})
	}
	if err != nil {
		return t.cannot("write", err)
	}
	return nil
}
