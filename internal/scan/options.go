package scan

import (
	"context"
	"hash"
	"path/filepath"
	"runtime"
	"time"

	"github.com/belay-dev/belay/internal/belay"

	"github.com/belay-dev/belay/internal/fsroot"
)

// Options selects the tree to scan, and provides its ignored and tracked paths.
type Options struct {
	Root    string           // the top folder, absolute
	GitDir  string           // the git folder, absolute; never captured when it is inside Root. Root's own .git never is
	Cache   string           // the stat cache file; "" is none. A corrupt cache, or one of another tree or version, is not used
	NewHash func() hash.Hash // SHA-1 or SHA-256

	// TrackedKey changes when the paths in the user's index do. ReadTracked is called only if the
	// cache was made for another key; nil means that nothing is tracked. seedBefore is the
	// modification time of the index: a Seed with a later or equal time was recorded while the file
	// could still change without a change of its stat.
	TrackedKey  string
	ReadTracked func(ctx context.Context) (entries []Tracked, seedBefore time.Time, err error)

	// RulesKey changes with everything outside the tree that affects what is ignored: info/exclude,
	// core.excludesFile, core.ignoreCase.
	RulesKey string

	// Ignored reports which of the paths are ignored, whether tracked or not. Folders end in "/".
	// It must answer for every path in order; an error ends the scan and is never read as "not
	// ignored". nil means that nothing is ignored. It is called from several goroutines.
	//
	// Trap: git check-ignore must be asked without the final slash. With it, git applies the
	// .gitignore inside a folder to the folder itself, so that a "*" in it hides what a "!keep" in
	// it includes again.
	Ignored func(ctx context.Context, paths []string) ([]bool, error)

	Include []string // doublestar globs of ignored paths to capture anyway; one that matches a folder covers everything below it

	// IncludeMore selects further ignored paths to capture.
	IncludeMore Selector

	// Baseline makes the scan capture paths that the current rules ignore and those of an earlier
	// time did not. nil adds nothing.
	Baseline *Baseline

	// EnterRepo reports whether a nested repository is captured completely: its files like any
	// others, and its git folder unchanged. nil: none is.
	EnterRepo func(path string) bool

	MaxFile int64 // untracked and included files above this size become a Gap; 0 is no limit
	Workers int   // 0 is one for each processor

	// OnFolder, if not nil, is called with each folder before it is listed, from several
	// goroutines; fd is the open folder. Its error ends the scan.
	OnFolder func(path string, fd int) error
}

// Baseline are the ignore rules of an earlier time. They are used only where they differ from the
// current ones, and only for paths that are ignored now.
type Baseline struct {
	OuterRulesChanged bool                  // the rules outside the tree differ
	RuleFiles         map[string]fsroot.OID // its .gitignore files
	Ignored           func(ctx context.Context, paths []string) ([]bool, error)
}

func (o *Options) check() error {
	if !filepath.IsAbs(o.Root) {
		return belay.Refuse(belay.CodeUsage, "give the absolute path", "the folder to scan, %q, is not an absolute path", o.Root)
	}
	if o.NewHash == nil {
		return belay.Refuse(belay.CodeUsage, "give SHA-1 or SHA-256", "a scan does not support the hash %s", belay.VisibleLine(o.Root))
	}
	o.Root = filepath.Clean(o.Root)
	if o.Workers <= 0 {
		o.Workers = runtime.GOMAXPROCS(0)
	}
	return nil
}

// selector returns the selector of ignored paths, nil for nothing.
func (o *Options) selector() (Selector, error) {
	globs, err := NewGlobs(o.Include)
	switch {
	case err != nil:
		return nil, err
	case o.IncludeMore == nil && len(globs) == 0:
		return nil, nil
	case o.IncludeMore == nil:
		return globs, nil
	case len(globs) == 0:
		return o.IncludeMore, nil
	}
	return Any{globs, o.IncludeMore}, nil
}
