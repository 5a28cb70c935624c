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

const pollWait = 100 * time.Millisecond // how often a followed file is checked

// LockWait is how long another process may take to finish one append. Only tests change it.
var LockWait = 10 * time.Second

// Store contains the records below one folder. Its methods are safe for concurrent use by
// goroutines and processes. Set the fields before first use.
type Store struct {
	// Fault, if set, is called before every step that changes the disk: "mkdir", "create", "write",
	// "sync", "rename", "truncate", "remove" and "syncdir", with its path. If it returns an error,
	// the step fails with that error.
	Fault func(op, path string) error
	// Now is the clock; nil is time.Now.
	Now func() time.Time

	dir  string
	kind string // the folder of the records: tasks or features
	wait time.Duration
	poll time.Duration
}

// Open returns the store below dir. It does not access the disk: the first write creates the
// folders, and a store that does not exist is empty.
func Open(dir string) *Store {
	return &Store{dir: dir, kind: "tasks", wait: LockWait, poll: pollWait}
}

// Features returns the store of the records of features, with the same attachments. Its IDs are F1,
// F2, …
func (s *Store) Features() *Store {
	other := *s
	other.kind = "features"
	return &other
}

// Log is a record as it was read. Torn is the number of bytes after the last complete entry: left
// by a crash, or part of a running append.
type Log struct {
	Task    belay.TaskID `json:"task"` // as written when the task was created
	Entries []Entry      `json:"entries"`
	Head    Head         `json:"head"`
	Torn    int64        `json:"torn,omitempty"`
}

// MovedError means that the record has grown since the caller read it, so the caller must read it
// again and decide again. Its code is belay.CodeBusy.
type MovedError struct {
	Task  belay.TaskID
	After Head // the head that the caller expected
	Head  Head // the current head
}

// Error returns the actual and the expected number of the last entry.
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

// Stamp returns the size and modification time of a task's record, to notice most changes cheaply;
// "" if there is none.
func (s *Store) Stamp(task belay.TaskID) string {
	info, err := fsroot.Lstat(s.taskFile(task))
	if err != nil {
		return ""
	}
	return fmt.Sprint(info.Size(), info.ModTime().UnixNano())
}

// Stamps returns a Stamp of all records together, which changes when anything is recorded.
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

// fileKey returns the ID's key with every byte except small letters, digits, '.', '_' and '-'
// written as %xx. Valid IDs are unchanged; any other ID gives a file name inside the folder that
// does not exist.
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
