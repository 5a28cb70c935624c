package belay

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// TaskID names a task: T7, fix-login, US1.2. It is shown to people; file and ref names are derived
// from it but never equal to it.
type TaskID string

// TaskIDRule is part of the error for an invalid ID.
const TaskIDRule = "a task id is 1 to 64 letters, digits, '.', '_' or '-', starts with a letter or digit, has no '..', " +
	"does not end in '.' or '.lock', and is no Windows device name"

// isDevice reports whether Windows treats a file name as a device: CON, or nul.txt.
func isDevice(name string) bool {
	name, _, _ = strings.Cut(strings.ToLower(name), ".")
	switch {
	case name == "con" || name == "prn" || name == "aux" || name == "nul":
		return true
	case len(name) == 4 && (name[:3] == "com" || name[:3] == "lpt"):
		return name[3] >= '0' && name[3] <= '9'
	}
	return false
}

// only reports whether s consists of ASCII letters and digits and the extra bytes.
func only(s, extra string) bool {
	for i := range len(s) {
		c := s[i]
		letter := c|0x20 >= 'a' && c|0x20 <= 'z'
		digit := c >= '0' && c <= '9'
		if !letter && !digit && strings.IndexByte(extra, c) < 0 {
			return false
		}
	}
	return true
}

// ParseTaskID checks s against TaskIDRule. IDs become part of file names on every platform, so the
// rule is stricter than git's for refs.
func ParseTaskID(s string) (TaskID, error) {
	spelled := s != "" && len(s) <= 64 && only(s[:1], "") && only(s, "._-")
	reserved := strings.HasSuffix(strings.ToLower(s), ".lock") || isDevice(s)
	if !spelled || reserved || strings.Contains(s, "..") || strings.HasSuffix(s, ".") {
		return "", Refuse(CodeUsage, TaskIDRule, "%q is not a task id", s)
	}
	return TaskID(s), nil
}

// NewTaskIDRule is part of the error for an invalid ID of a new task.
const NewTaskIDRule = TaskIDRule +
	"; it is not a name that git uses (HEAD) or that YAML or JSON would not read as text (null, yes, 1e5, 0x10)"

// ParseNewTaskID is ParseTaskID for the ID of a new task. Some IDs would become other values, or
// git's own names, in records and in files that people write.
func ParseNewTaskID(s string) (TaskID, error) {
	id, err := ParseTaskID(s)
	if err == nil && reserved(id.Key()) {
		return "", Refuse(CodeUsage, NewTaskIDRule, "%q cannot be a task id", s)
	}
	return id, err
}

// reserved reports whether an ID means something else in git, YAML 1.1 and 1.2, or JSON. Plain
// numbers (7, 1.2) are IDs in other tools' task files and stay allowed.
func reserved(key string) bool {
	switch key {
	case "head", "null", "nil", "none", "nan", "inf", "infinity", "true", "false", "yes", "no", "on", "off", "y", "n", "undefined":
		return true
	}
	if strings.HasSuffix(key, "_head") && only(key, "_") {
		return true // FETCH_HEAD, ORIG_HEAD, MERGE_HEAD …
	}
	if strings.Trim(key, "0123456789.") == "" {
		return false
	}
	if _, err := strconv.ParseFloat(key, 64); err == nil {
		return true // 1e5, 0x1p-2
	}
	_, err := strconv.ParseInt(key, 0, 64)
	return err == nil || errors.Is(err, strconv.ErrRange) // 0x10, 0o7, 0b1, 1_000
}

// FeedbackFile returns the path, from the root of the repository, of the file in which a reviewer
// of the task writes what to change.
func (t TaskID) FeedbackFile() string { return ".belay/now/feedback/" + string(t) + ".md" }

// Key returns the ID folded for comparison: two IDs with the same key cannot both exist, because T1
// and t1 are one file on macOS and Windows.
func (t TaskID) Key() string { return strings.ToLower(string(t)) }

// NextTaskID returns T<n+1> where n is the highest number among IDs of the form T<number>. Numbers
// are never reused if used includes ended tasks.
func NextTaskID(used []TaskID) TaskID {
	top := 0
	for _, id := range used {
		rest, ok := strings.CutPrefix(id.Key(), "t")
		if !ok {
			continue
		}
		if n, err := strconv.Atoi(rest); err == nil && n > top {
			top = n
		}
	}
	return TaskID("T" + strconv.Itoa(top+1))
}

// SnapshotID names a snapshot: 26 characters of Crockford's base 32 in lower case, sorted by
// creation. The ref is refs/belay/<id>.
type SnapshotID string

// ParseSnapshotID accepts a complete ID or a prefix of at least four characters, in either case.
func ParseSnapshotID(s string) (SnapshotID, error) {
	low := strings.ToLower(s)
	if len(low) < 4 || len(low) > 26 || !only(low, "") || strings.ContainsAny(low, "ilou") {
		return "", Refuse(CodeUsage, "belay snapshot list", "%q is not a snapshot id", s)
	}
	return SnapshotID(low), nil
}

// IsComplete reports whether the id is complete and not a prefix.
func (s SnapshotID) IsComplete() bool { return len(s) == 26 }

// Short returns the first ten characters, enough for people to tell ids apart.
func (s SnapshotID) Short() string { return string(s[:min(10, len(s))]) }

// Kind is why a snapshot was taken.
type Kind string

// Kinds of snapshots. Belay takes all but KindManual by itself.
const (
	KindBefore  Kind = "before"  // the state an attempt starts from
	KindAfter   Kind = "after"   // the result of an attempt
	KindHandoff Kind = "handoff" // what one role hands over to the next
	KindStall   Kind = "stall"   // the work of a stalled agent
	KindRescue  Kind = "rescue"  // the current state, before anything destructive
	KindMerge   Kind = "merge"   // the result that a merge will write, never a state of a tree
	KindManual  Kind = "manual"  // a person asked for it
)

// Kinds are all kinds.
var Kinds = []Kind{KindBefore, KindAfter, KindHandoff, KindStall, KindRescue, KindMerge, KindManual}

// ParseKind parses the name of a kind.
func ParseKind(s string) (Kind, error) {
	if !slices.Contains(Kinds, Kind(s)) {
		return "", fmt.Errorf("%q is not a kind of snapshot", s)
	}
	return Kind(s), nil
}
