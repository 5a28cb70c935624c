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

// A line is added with one write, and the file written anew when it has grown. To replace
// it each time would make an entry twice as slow: file systems write the bytes of a file
// that is renamed over another one to the disk, and the next sync waits for that.

// version is that of a State on disk. Another one is read as none.
const version = 1

const (
	most  = 1 << 20  // bytes of a file that is read
	large = 32 << 10 // from this size on it is written anew
)

// State is what is remembered of one task's record.
type State struct {
	Version int           `json:"v"`
	Repo    string        `json:"repo"` // the git folder, for people
	Task    string        `json:"task"`
	Open    bool          `json:"open"`
	Seq     int           `json:"seq"`              // entries
	Hash    string        `json:"hash"`             // of the last of them
	Before  *snapshot.Pin `json:"before,omitempty"` // the snapshot before the task
}

// Store is the memory for one repository. The nil *Store remembers nothing.
type Store struct {
	repo string
	dir  string // of this repository's states; links above it are resolved
	err  error  // why there is no folder
	// Step, when set, is called before each step that changes the disk, with its name and
	// the path: an error it returns takes the place of the step.
	Step func(name, path string) error
}

// Open gives the memory for the repository whose git folder is common. It writes nothing.
// roots are folders of the repository: a state folder inside one of them is not used.
func Open(common string, roots ...string) *Store {
	s := &Store{repo: common}
	base, err := StateFolder()
	if err != nil {
		s.err = err
		return s
	}
	base = resolved(base)
	for _, root := range append(roots, common) {
		if rel, err := filepath.Rel(resolved(root), base); err == nil && rel != ".." && !strings.HasPrefix(rel, "../") {
			s.err = fmt.Errorf("the state folder %s is in the repository itself", base)
			return s
		}
	}
	s.dir, s.err = Folder(base, common)
	return s
}

// Features is the memory of the records of features.
func (s *Store) Features() *Store {
	other := *s
	other.dir = filepath.Join(s.dir, "features")
	return &other
}

// Folder gives the folder below a state folder in which the states of a repository are. The
// same git folder copied, or made again, is another repository.
func Folder(state, common string) (string, error) {
	who, err := identity(common)
	if err != nil {
		return "", fmt.Errorf("look at %s: %w", common, err)
	}
	sum := sha256.Sum256([]byte(common + "\x00" + who))
	return filepath.Join(state, "anchors", hex.EncodeToString(sum[:16])), nil
}

// StateFolder is belay's folder in the user's state folder.
func StateFolder() (string, error) {
	if dir := os.Getenv("BELAY_STATE_HOME"); filepath.IsAbs(dir) {
		return dir, nil
	}
	if dir := os.Getenv("XDG_STATE_HOME"); filepath.IsAbs(dir) { // a relative one is to be ignored
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

// resolved follows the links of as much of a path as there is: people keep their folders
// elsewhere.
func resolved(path string) string {
	real, err := filepath.EvalSymlinks(path)
	if err == nil {
		return real
	}
	up := filepath.Dir(path)
	if up == path {
		return path
	}
	return filepath.Join(resolved(up), filepath.Base(path))
}

// Problem says why nothing can be remembered; nil when it can, as far as is known.
func (s *Store) Problem() error {
	if s == nil {
		return errors.New("it is off")
	}
	return s.err
}

func (s *Store) path(task string) string { return filepath.Join(s.dir, fileOf(task)) }

// fileOf makes a file name of any text.
func fileOf(task string) string {
	var b strings.Builder
	for i, c := range []byte(strings.ToLower(task)) {
		plain := c >= 'a' && c <= 'z' || c >= '0' && c <= '9'
		if plain || i > 0 && strings.IndexByte("_-.", c) >= 0 {
			b.WriteByte(c)
		} else {
			fmt.Fprintf(&b, "%%%02x", c)
		}
	}
	return b.String() + suffix
}

const suffix = ".jsonl"

// Read gives what is remembered of a task; ok is false when nothing is, or it cannot be
// read: a power cut may have taken the bytes, and a memory that is gone accuses nobody.
func (s *Store) Read(task string) (st State, ok bool) {
	if s.Problem() != nil {
		return State{}, false
	}
	text, err := fsroot.ReadFile(s.path(task), most)
	if err != nil {
		return State{}, false
	}
	st, ok = last(text)
	return st, ok && strings.EqualFold(st.Task, task)
}

// last reads the last line that is whole: a power cut may have left half of one, or zeros.
func last(text []byte) (st State, ok bool) {
	for end := bytes.LastIndexByte(text, '\n'); end >= 0; end = bytes.LastIndexByte(text[:end], '\n') {
		line := text[bytes.LastIndexByte(text[:end], '\n')+1 : end]
		st = State{}
		if json.Unmarshal(line, &st) == nil && st.Version == version && st.Seq >= 1 {
			return st, true
		}
	}
	return State{}, false
}

// Write remembers how far a record goes. What it says must be on the disk, synced: the
// memory itself is not, so that after a power cut it is an older one, or none.
func (s *Store) Write(st State) error {
	if err := s.Problem(); err != nil {
		return err
	}
	st.Version, st.Repo = version, s.repo
	text, err := json.Marshal(st)
	if err != nil {
		return err
	}
	text = append(text, '\n')
	err = s.add(st.Task, text)
	if errors.Is(err, fs.ErrNotExist) {
		if err = os.MkdirAll(s.dir, 0o700); err == nil {
			err = s.add(st.Task, text)
		}
	}
	return err
}

func (s *Store) add(task string, line []byte) (err error) {
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
	if info.Size() > large {
		return fsroot.AtomicWrite(path, fsroot.AtomicOptions{Step: s.Step, Prefix: temp}, line)
	}
	_, err = f.Write(line)
	return err
}

func (s *Store) step(name, path string) error {
	if s.Step == nil {
		return nil
	}
	return s.Step(name, path)
}

const temp = ".new-"

// Forget removes what is remembered of a task.
func (s *Store) Forget(task string) error {
	if s.Problem() != nil {
		return nil
	}
	if err := fsroot.Remove(s.path(task)); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// List gives the states of this repository, by task, without those of some tasks, which
// are not read. Files that a kill left behind are removed.
func (s *Store) List(without ...string) (all []State, err error) {
	if s.Problem() != nil {
		return nil, nil
	}
	skip := map[string]bool{}
	for _, task := range without {
		skip[fileOf(task)] = true
	}
	names, err := fsroot.ReadDir(s.dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	for _, e := range names {
		if strings.HasPrefix(e.Name(), temp) {
			if info, err := e.Info(); err == nil && time.Since(info.ModTime()) > time.Hour {
				_ = fsroot.Remove(filepath.Join(s.dir, e.Name()))
			}
			continue
		}
		if skip[e.Name()] {
			continue
		}
		text, rerr := fsroot.ReadFile(filepath.Join(s.dir, e.Name()), most)
		if st, ok := last(text); rerr == nil && ok && fileOf(st.Task) == e.Name() {
			all = append(all, st)
		}
	}
	return all, err
}

// Where is the folder that the states are in, for people.
func (s *Store) Where() string { return cmp.Or(s.dir, "nowhere") }
