package handoff

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/belay-dev/belay/internal/belay"
)

// DriftKind is the kind of a difference.
type DriftKind string

// Kinds of differences of the repository as a whole.
const (
	HeadMoved         DriftKind = "head-moved"   // HEAD is another commit: a pull, a merge, a rebase, another branch
	Committed         DriftKind = "committed"    // the work, or part of it, was committed
	Reset             DriftKind = "reset"        // HEAD is an earlier commit
	Amended           DriftKind = "amended"      // the last commit was replaced
	Switched          DriftKind = "switched"     // another branch is checked out, or none
	Stashed           DriftKind = "stashed"      // a stash entry was added
	StashRemoved      DriftKind = "stash-gone"   // a stash entry was removed
	Discarded         DriftKind = "discarded"    // uncommitted work was discarded: the files equal HEAD
	Operation         DriftKind = "operation"    // a merge, rebase or the like started or ended
	GitConfig         DriftKind = "git-config"   // git's config, hooks or exclude file changed
	ScopeFiles        DriftKind = "scope"        // the set of files in the task's scope changed
	RecordEdited      DriftKind = "record"       // the task's record was edited
	AttachmentChanged DriftKind = "attachment"   // an attachment was edited or deleted
	HandoffMissing    DriftKind = "handoff-gone" // the snapshot that was handed over is missing
	BelayFileEdited   DriftKind = "belay-file"   // a file that belay wrote for agents was edited
)

// Kinds of differences of a path.
const (
	Content     DriftKind = "content"      // different bytes
	LineEndings DriftKind = "line-endings" // different bytes, same lines
	Mode        DriftKind = "mode"         // different mode, same bytes
	Renamed     DriftKind = "rename"       // same bytes, different path
	Deleted     DriftKind = "deletion"
	Added       DriftKind = "addition"
	TypeChanged DriftKind = "type"       // a file became a link or vice versa
	LinkTarget  DriftKind = "link"       // a link has another target
	Index       DriftKind = "index"      // staged, unstaged or untracked; the file is the same
	IndexFlag   DriftKind = "index-flag" // skip-worktree, assume-unchanged or intent-to-add was set or cleared
	EmptyFolder DriftKind = "folder"     // an empty folder was added or removed
	NowIgnored  DriftKind = "ignored"    // the path exists but is ignored now
	Unreadable  DriftKind = "unreadable" // it can no longer be captured
	Nested      DriftKind = "nested"     // a nested repository was added or removed, or has another commit
)

// Difference is one difference. Path is "" for the repository as a whole.
type Difference struct {
	Kind       DriftKind `json:"kind"`
	Path       string    `json:"path,omitempty"`
	From       string    `json:"from,omitempty"` // the previous path of a rename
	Was        string    `json:"was,omitempty"`
	Is         string    `json:"is,omitempty"`
	OutOfScope bool      `json:"out_of_scope,omitempty"` // the path is not in the task's scope
	IsNote     bool      `json:"note,omitempty"`         // reported, but not drift
}

// Sentence describes the difference on one line.
func (d Difference) Sentence() string {
	var b strings.Builder
	b.WriteString(string(d.Kind))
	if d.Path != "" {
		b.WriteString("  " + d.Path)
	}
	if d.From != "" {
		b.WriteString(" (was " + d.From + ")")
	}
	if d.Was != "" || d.Is != "" {
		fmt.Fprintf(&b, ": %s → %s", cmp.Or(d.Was, "none"), cmp.Or(d.Is, "none"))
	}
	if d.OutOfScope {
		b.WriteString("  [out of scope]")
	}
	if d.IsNote {
		b.WriteString("  (note, not drift)")
	}
	return belay.VisibleLine(b.String())
}

// Report lists all differences: first those of the repository as a whole, then by path.
type Report struct {
	Differences []Difference `json:"differences"`
	NotListed   int          `json:"more,omitempty"` // number of differences that are not listed
}

// HasDrift reports whether a difference is not just a note.
func (r Report) HasDrift() bool {
	return slices.ContainsFunc(r.Differences, func(d Difference) bool { return !d.IsNote })
}

// Kinds returns the kinds of drift in the report, each once, sorted.
func (r Report) Kinds() []DriftKind {
	var all []DriftKind
	for _, d := range r.Differences {
		if !d.IsNote {
			all = append(all, d.Kind)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// CountOutOfScope returns the number of differences outside of the task's scope.
func (r Report) CountOutOfScope() int {
	n := 0
	for _, d := range r.Differences {
		if d.OutOfScope && !d.IsNote {
			n++
		}
	}
	return n
}

// Summary lists the kinds of drift with their counts.
func (r Report) Summary() string {
	counts := map[DriftKind]int{}
	for _, d := range r.Differences {
		if !d.IsNote {
			counts[d.Kind]++
		}
	}
	var words []string
	for _, k := range r.Kinds() {
		if counts[k] == 1 {
			words = append(words, string(k))
			continue
		}
		words = append(words, fmt.Sprintf("%s ×%d", k, counts[k]))
	}
	if n := r.CountOutOfScope(); n > 0 {
		words = append(words, fmt.Sprintf("%d out of scope", n))
	}
	if len(words) == 0 {
		return "nothing drifted"
	}
	return strings.Join(words, ", ")
}

// MaxListed limits the differences that a report lists, to keep records readable.
const MaxListed = 1000

// Truncate returns the report with at most MaxListed differences.
func (r Report) Truncate() Report {
	if n := len(r.Differences); n > MaxListed {
		return Report{Differences: r.Differences[:MaxListed:MaxListed], NotListed: r.NotListed + n - MaxListed}
	}
	return r
}
