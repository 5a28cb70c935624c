package journal

import (
	"fmt"
	"hash/fnv"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/fsroot"
)

// An entry is never edited or deleted. A lock is held for one append only; readers take none.

// On disk, below the folder given to Open (folders 0700, files 0600):

//	tasks/<key>.jsonl         the entries of one task; key is the id in lower case
//	tasks/<key>.jsonl.torn-1  bytes a crash left that were no whole entry
//	tasks/<key>.jsonl.changed-1  what somebody else put in the place of a record in use
//	tasks/<key>.lock          locked during an append; its text is information only
//	features/<key>.jsonl      the entries of one feature, likewise (Features)
//	files/<sha256>            one attachment
//	files/.new/               attachments being written

const pollWait = 100 * time.Millisecond // between two looks at a followed file

// LockWait is how long another process may take to finish one append. Only tests change it.
var LockWait = 10 * time.Second

// Store is the record below one folder. Its methods may be called from any number of
// goroutines and processes at once. The fields are set before first use.
type Store struct {
	// Fault, when set, is called before every step that changes the disk: "mkdir",
	// "create", "write", "sync", "rename", "truncate", "remove" and "syncdir", with the
	// path it works on. An error it returns takes the place of the step.
	Fault func(op, path string) error
	// Now is the clock; nil is time.Now.
	Now func() time.Time

	dir  string
	kind string // the folder of the records
	wait time.Duration
	poll time.Duration
}

// Open returns the store below dir. It touches nothing: folders are made by the first
// write, and reading a store that is not there finds nothing.
func Open(dir string) *Store {
	return &Store{dir: dir, kind: "tasks", wait: LockWait, poll: pollWait}
}

// Features returns the store of the records of features, which has the same attachments. Its ids are F1, F2, …
func (s *Store) Features() *Store {
	other := *s
	other.kind = "features"
	return &other
}

// Log is a whole record as one reading found it. Torn is the number of bytes after
// the last whole entry: what a crash left, or an append that is being written.
type Log struct {
	Task    belay.TaskID `json:"task"` // as it was written when the task was created
	Entries []Entry      `json:"entries"`
	Head    Head         `json:"head"`
	Torn    int64        `json:"torn,omitempty"`
}

// MovedError says that the record has grown since the caller read it, so what the
// caller was about to append may no longer be true. Read again and decide again.
// Its code is belay.CodeBusy.
type MovedError struct {
	Task  belay.TaskID
	After Head // what the caller knew
	Head  Head // what the record's head is
}

// Error says how far the record has moved.
func (e *MovedError) Error() string { return e.refusal().Error() }

// Unwrap returns the *belay.Error.
func (e *MovedError) Unwrap() error { return e.refusal() }

func (e *MovedError) refusal() *belay.Error {
	return belay.Refuse(belay.CodeBusy, "try again: the record is read again",
		"the record of %s has changed meanwhile: its last entry is number %d, expected %d", e.Task, e.Head.Seq, e.After.Seq)
}

func (s *Store) tasksDir() string { return filepath.Join(s.dir, s.kind) }
func (s *Store) filesDir() string { return filepath.Join(s.dir, "files") }
func (s *Store) newFiles() string { return filepath.Join(s.dir, "files", ".new") }
func (s *Store) now() time.Time   { return s.clock()().UTC().Round(0) }
func notFound(task belay.TaskID) error {
	return belay.Refuse(belay.CodeNotFound, "belay status lists the tasks", "there is no task %s", belay.VisibleLine(string(task)))
}

func (s *Store) clock() func() time.Time {
	if s.Now != nil {
		return s.Now
	}
	return time.Now
}

const suffix = ".jsonl"

func (s *Store) taskFile(task belay.TaskID) string {
	return filepath.Join(s.tasksDir(), fileKey(task)+suffix)
}

// Stamp tells one state of a task's record from another by its size and time, for whoever can live with a mistake; "" where
// there is none.
func (s *Store) Stamp(task belay.TaskID) string {
	info, err := fsroot.Lstat(s.taskFile(task))
	if err != nil {
		return ""
	}
	return fmt.Sprint(info.Size(), info.ModTime().UnixNano())
}

// Stamps is Stamp for all records together: it tells whether anything was recorded meanwhile.
func (s *Store) Stamps() string {
	list, err := fsroot.ReadDir(s.tasksDir())
	if err != nil {
		return ""
	}
	h := fnv.New64a()
	for _, e := range list {
		if info, err := e.Info(); err == nil && strings.HasSuffix(e.Name(), suffix) {
			fmt.Fprintln(h, e.Name(), info.Size(), info.ModTime().UnixNano())
		}
	}
	return strconv.FormatUint(h.Sum64(), 16)
}

func (s *Store) lockFile(task belay.TaskID) string {
	return filepath.Join(s.tasksDir(), fileKey(task)+".lock")
}

// fileKey is the id's key with every byte that is not a small letter, a digit, '.',
// '_' or '-' written as %xx. An id that ParseTaskID accepts comes out as its key;
// anything else still makes a file name inside the folder, for which nothing exists.
func fileKey(task belay.TaskID) string {
	var b strings.Builder
	for i, c := range []byte(task.Key()) {
		plain := c >= 'a' && c <= 'z' || c >= '0' && c <= '9'
		if plain || i > 0 && strings.IndexByte("._-", c) >= 0 {
			b.WriteByte(c)
		} else {
			fmt.Fprintf(&b, "%%%02x", c)
		}
	}
	return b.String()
}
