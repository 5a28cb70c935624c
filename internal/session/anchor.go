package session

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/belay-dev/belay/internal/fsroot"
	"github.com/belay-dev/belay/internal/snapshot"
)

// On disk, below $BELAY_STATE_HOME, or else belay in the user's state folder (folders
// 0700, files 0600):

//	anchors/<repository>/<task>.jsonl   a State a line, of which the last one counts;
//	anchors/<repository>/features/<id>.jsonl  likewise, of features
//	                                    <repository> is a hash of its identity

// Each anchor is one appended line, and the file is rewritten when it has grown. Replacing it each
// time would double the time of an entry: file systems write the data of a file that is renamed
// over another one to the disk, and the next sync waits for that.

// anchorVersion is the version of an Anchor on disk. Anchors of other versions are ignored.
const anchorVersion = 1

const (
	maxAnchorFile = 1 << 20  // maximum size of a file that is read
	rewriteSize   = 32 << 10 // size from which a file is rewritten
)

// Anchor is what belay stores outside the repository about one task's record.
type Anchor struct {
	Version int           `json:"v"`
	Repo    string        `json:"repo"` // the git folder, for messages
	Task    string        `json:"task"`
	Open    bool          `json:"open"`
	Seq     int           `json:"seq"`              // number of entries
	Hash    string        `json:"hash"`             // hash of the last entry
	Before  *snapshot.Pin `json:"before,omitempty"` // the before snapshot
}

// AnchorStore stores the anchors of one repository. A nil *AnchorStore stores nothing.
type AnchorStore struct {
	repo string
	dir  string // of this repository's anchors; links in the path above it are resolved
	err  error  // why there is no folder
	// Step, if set, is called before each step that changes the disk, with its name and the path:
	// if it returns an error, the step fails with it.
	Step func(name, path string) error
}

// OpenAnchors returns the anchor store of the repository with the git folder common. It writes
// nothing. roots are folders of the repository: a state folder inside one of them is not used.
func OpenAnchors(common string, roots ...string) *AnchorStore {
	s := &AnchorStore{repo: common}
	base, err := StateFolder()
	if err != nil {
		s.err = err
		return s
	}
	base = resolveLinks(base)
	for _, root := range append(roots, common) {
		if rel, err := filepath.Rel(resolveLinks(root), base); err == nil && rel != ".." && !strings.HasPrefix(rel, "../") {
			s.err = fmt.Errorf("the state folder %s is in the repository itself", base)
			return s
		}
	}
	s.dir, s.err = AnchorFolder(base, common)
	return s
}

// ForFeatures returns the store for the records of features.
func (s *AnchorStore) ForFeatures() *AnchorStore {
	other := *s
	other.dir = filepath.Join(s.dir, "features")
	return &other
}

// AnchorFolder returns the folder, below a state folder, of a repository's anchors. A git
// folder that was copied or created again is another repository.
func AnchorFolder(state, common string) (string, error) {
	who, err := folderIdentity(common)
	if err != nil {
		return "", fmt.Errorf("look at %s: %w", common, err)
	}
	sum := sha256.Sum256([]byte(common + "\x00" + who))
	return filepath.Join(state, "anchors", hex.EncodeToString(sum[:16])), nil
}

// StateFolder returns belay's folder in the user's state folder.
func StateFolder() (string, error) {
	if dir := os.Getenv("BELAY_STATE_HOME"); filepath.IsAbs(dir) {
		return dir, nil
	}
	if dir := os.Getenv("XDG_STATE_HOME"); filepath.IsAbs(dir) { // a relative one must be ignored
		return filepath.Join(dir, "belay"), nil
	}
	dir, err := os.UserHomeDir()
	if err == nil && !filepath.IsAbs(dir) {
		err = errors.New("$HOME is not an absolute path")
	}
	if err != nil {
		return "", err
	}
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return "", fmt.Errorf("no folder %s", dir)
	}
	if runtime.GOOS == "darwin" {
		return filepath.Join(dir, "Library", "Application Support", "belay", "state"), nil
	}
	return filepath.Join(dir, ".local", "state", "belay"), nil
}

// resolveLinks resolves symbolic links in the existing part of a path: people move such folders
// elsewhere and link to them.
func resolveLinks(path string) string {
	real, err := filepath.EvalSymlinks(path)
	if err == nil {
		return real
	}
	up := filepath.Dir(path)
	if up == path {
		return path
	}
	return filepath.Join(resolveLinks(up), filepath.Base(path))
}

// Problem returns why anchors cannot be stored, nil if they can.
func (s *AnchorStore) Problem() error {
	if s == nil {
		return errors.New("it is off")
	}
	return s.err
}

func (s *AnchorStore) path(task string) string { return filepath.Join(s.dir, anchorFileName(task)) }

// anchorFileName makes a valid file name from any text.
func anchorFileName(task string) string {
	var b strings.Builder
	for i, c := range []byte(strings.ToLower(task)) {
		plain := c >= 'a' && c <= 'z' || c >= '0' && c <= '9'
		if plain || i > 0 && strings.IndexByte("_-.", c) >= 0 {
			b.WriteByte(c)
		} else {
			fmt.Fprintf(&b, "%%%02x", c)
		}
	}
	return b.String() + anchorSuffix
}

const anchorSuffix = ".jsonl"

// Read returns the anchor of a task. ok is false when there is none or it cannot be read:
// after a power cut the bytes may be missing, and that is not evidence of tampering.
func (s *AnchorStore) Read(task string) (st Anchor, ok bool) {
	if s.Problem() != nil {
		return Anchor{}, false
	}
	text, err := fsroot.ReadFile(s.path(task), maxAnchorFile)
	if err != nil {
		return Anchor{}, false
	}
	st, ok = readLastLine(text)
	return st, ok && strings.EqualFold(st.Task, task)
}

// readLastLine parses the last complete line: a power cut may leave half a line, or zeros.
func readLastLine(text []byte) (st Anchor, ok bool) {
	for end := bytes.LastIndexByte(text, '\n'); end >= 0; end = bytes.LastIndexByte(text[:end], '\n') {
		line := text[bytes.LastIndexByte(text[:end], '\n')+1 : end]
		st = Anchor{}
		if json.Unmarshal(line, &st) == nil && st.Version == anchorVersion && st.Seq >= 1 {
			return st, true
		}
	}
	return Anchor{}, false
}

// Write stores the number and hash of the last entry of a record, which must already be synced to
// the disk. The anchor is not synced, so a power cut may leave an older one, or none.
func (s *AnchorStore) Write(st Anchor) error {
	if err := s.Problem(); err != nil {
		return err
	}
	st.Version, st.Repo = anchorVersion, s.repo
	text, err := json.Marshal(st)
	if err != nil {
		return err
	}
	text = append(text, '\n')
	err = s.appendLine(st.Task, text)
	if errors.Is(err, fs.ErrNotExist) {
		if err = os.MkdirAll(s.dir, 0o700); err == nil {
			err = s.appendLine(st.Task, text)
		}
	}
	return err
}

func (s *AnchorStore) appendLine(task string, line []byte) (err error) {
	path := s.path(task)
	if err := s.step("write", path); err != nil {
		return err
	}
	f, err := fsroot.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if info.Size() > rewriteSize {
		return fsroot.AtomicWrite(path, fsroot.AtomicOptions{Step: s.Step, Prefix: tempPrefix}, line)
	}
	_, err = f.Write(line)
	return err
}

func (s *AnchorStore) step(name, path string) error {
	if s.Step == nil {
		return nil
	}
	return s.Step(name, path)
}

const tempPrefix = ".new-"

// Forget deletes the anchor of a task.
func (s *AnchorStore) Forget(task string) error {
	if s.Problem() != nil {
		return nil
	}
	if err := fsroot.Remove(s.path(task)); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// List returns the anchors of this repository in order of task, except those of the tasks in
// without, which are not read. It removes files that a killed process left.
func (s *AnchorStore) List(without ...string) (all []Anchor, err error) {
	if s.Problem() != nil {
		return nil, nil
	}
	skip := map[string]bool{}
	for _, task := range without {
		skip[anchorFileName(task)] = true
	}
	names, err := fsroot.ReadDir(s.dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	for _, e := range names {
		if strings.HasPrefix(e.Name(), tempPrefix) {
			if info, err := e.Info(); err == nil && time.Since(info.ModTime()) > time.Hour {
				_ = fsroot.Remove(filepath.Join(s.dir, e.Name()))
			}
			continue
		}
		if skip[e.Name()] {
			continue
		}
		text, rerr := fsroot.ReadFile(filepath.Join(s.dir, e.Name()), maxAnchorFile)
		if st, ok := readLastLine(text); rerr == nil && ok && anchorFileName(st.Task) == e.Name() {
			all = append(all, st)
		}
	}
	return all, err
}

// Location returns the folder of the anchors, for messages.
func (s *AnchorStore) Location() string { return cmp.Or(s.dir, "nowhere") }
