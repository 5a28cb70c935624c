package scan

import (
	"github.com/belay-dev/belay/internal/fsroot"
)

// node is a folder that the scan enters.
type node struct {
	path    string // "" is the root
	stat    fsroot.Facts
	folder  int // its number in the old cache, -1 when it has none
	rules   RuleID
	items   []item
	missing []int // old records of tracked paths that do not exist
	gap     string
	state   nodeState

	parent          *node
	ruleFile        int  // the item of its .gitignore, -1 for none
	hasTrackedBelow bool // tracked files are below it
	gitlink         bool
	nested          bool
	gitFile         bool
	ignored         bool // entered only for paths below it that Include matches
	isIncluded      bool // Include matches the folder itself
	rulesSeen       bool // checkRules has checked the node
	rulesDiffer     bool // its rules differ from those of Options.Baseline
	isCapturedRepo  bool // a nested repository that is captured with its git folder
	isInGitFolder   bool // below such a git folder: no ignore rule applies

	prev *node // the folder of an earlier result, while this node is being filled
	memo any   // stored by a reader of the result
}

type nodeState uint8

const (
	nodeOpen     nodeState = iota // not listed
	nodeListed                    // its items are known
	nodeClosed                    // not entered: a nested repository, the git folder, a gap
	nodeVanished                  // it vanished
)

// pathPrefix is the common prefix of the paths below a folder.
func (n *node) pathPrefix() string {
	if n.path == "" {
		return ""
	}
	return n.path + "/"
}

// item is one name in a folder.
type item struct {
	path      string
	gap       string
	oid       fsroot.OID    // "" until known
	facts     *fsroot.Facts // nil when the old record is still valid, and for folders
	child     *node         // of an entered folder
	rec       int32         // the old record, -1 for none
	flags     uint8         // FlagTracked … FlagIgnored
	kind      fsroot.PathKind
	folder    bool
	fresh     bool
	vanished  bool
	included  bool // ignored, and Include matches it
	unignored bool // ignored, but not by the rules of Options.Baseline
	hadLinks  bool // has had several hard links: a write through another one may not be noticed
}

// isUntracked reports whether neither the item nor anything below it is in the index.
func (it *item) isUntracked() bool { return it.flags&FlagsFromIndex == 0 }

func (it *item) isIgnored() bool { return it.flags&FlagIgnored != 0 && !it.unignored }

// name returns the last part of the item's path.
func (n *node) name(it *item) string {
	if n.path == "" {
		return it.path
	}
	return it.path[len(n.path)+1:]
}
