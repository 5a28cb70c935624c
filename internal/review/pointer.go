package review

import (
	"fmt"
	"path"
	"strconv"
	"strings"

	"github.com/belay-dev/belay/internal/belay"
)

// CyclesDir is the folder of review cycles, relative to the repository's root.
const CyclesDir = ".belay/reviews"

// NoFeature is the folder of tasks without a feature.
const NoFeature = "_"

// Pointer refers to a review: review-cycle://feature/task/review-cycle-3.md, or the older
// feedback://feature/task/name.
type Pointer struct {
	Feature, Task, Name string
	Legacy              bool
}

// ParsePointer parses a pointer. One that could lead out of its folder is an error (CodeUsage).
func ParsePointer(s string) (Pointer, error) {
	scheme, rest, ok := strings.Cut(s, "://")
	if !ok || scheme != "review-cycle" && scheme != "feedback" {
		return Pointer{}, belay.Refuse(belay.CodeUsage, "review-cycle://feature/task/review-cycle-1.md",
			"%q is not a reference to a review", s)
	}
	parts := strings.Split(rest, "/")
	if len(parts) != 3 {
		return Pointer{}, belay.Refuse(belay.CodeUsage, "review-cycle://feature/task/review-cycle-1.md",
			"%q names no feature, task and file", s)
	}
	for _, p := range parts {
		if !IsPathElement(p) {
			return Pointer{}, belay.Refuse(belay.CodeUsage, "use the exact names of the feature, the task and the file",
				"%q is outside the reviews folder", s)
		}
	}
	p := Pointer{Feature: parts[0], Task: parts[1], Name: parts[2], Legacy: scheme == "feedback"}
	if _, ok := CycleNumber(p.Name); !ok && !p.Legacy {
		return Pointer{}, belay.Refuse(belay.CodeUsage, "it must be named review-cycle-N.md", "%q is not a review cycle", p.Name)
	}
	return p, nil
}

// IsPathElement reports whether a name is a single path element.
func IsPathElement(s string) bool {
	if s == "" || len(s) > 200 || s[0] == '-' || s[0] == '.' {
		return false
	}
	for _, r := range s {
		if r < ' ' || r == 0x7f || strings.ContainsRune(`/\:%*?"<>|`, r) || r == 0xfffd {
			return false
		}
	}
	return true
}

// String formats the pointer.
func (p Pointer) String() string {
	scheme := "review-cycle"
	if p.Legacy {
		scheme = "feedback"
	}
	return scheme + "://" + p.Feature + "/" + p.Task + "/" + p.Name
}

// Path returns the file's path, relative to the repository's root.
func (p Pointer) Path() string { return path.Join(CyclesDir, p.Feature, p.Task, p.Name) }

// PointerTo returns the pointer to a task's cycle n.
func PointerTo(feature, task string, n int) Pointer {
	return Pointer{Feature: FeatureFolder(feature), Task: task, Name: CycleName(n)}
}

// FeatureFolder returns a feature's folder: its name, with characters replaced that a path element
// cannot contain.
func FeatureFolder(feature string) string {
	if feature == "" {
		return NoFeature
	}
	out := strings.Map(func(r rune) rune {
		if r < ' ' || strings.ContainsRune(`/\:%*?"<>| `, r) || r == 0x7f || r == 0xfffd {
			return '-'
		}
		return r
	}, feature)
	out = strings.TrimLeft(out, ".-")
	if len(out) > 100 {
		out = strings.ToValidUTF8(out[:100], "")
	}
	if !IsPathElement(out) {
		return NoFeature
	}
	return out
}

// CycleName returns the file name of cycle n.
func CycleName(n int) string { return fmt.Sprintf("review-cycle-%d.md", n) }

// CycleNumber returns the number in a cycle's file name.
func CycleNumber(name string) (int, bool) {
	digits, ok := strings.CutPrefix(strings.TrimSuffix(name, ".md"), "review-cycle-")
	if !ok || !strings.HasSuffix(name, ".md") || digits == "" || digits[0] == '0' || len(digits) > 9 {
		return 0, false
	}
	n, err := strconv.Atoi(digits)
	return n, err == nil && n > 0 && digits[0] != '+'
}

// RecordedReview is a review in a task's record, which is authoritative. The file that it points to
// is the readable copy.
type RecordedReview struct {
	Cycle    int    `json:"cycle"`
	Verdict  string `json:"verdict"` // approve or reject
	Reviewer string `json:"reviewer,omitempty"`
	Pointer  string `json:"pointer"`
}
