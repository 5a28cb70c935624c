package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/syntax"

	"github.com/belay-dev/belay/internal/lazyregexp"
)

// commit is a commit of a sample.
type commit struct {
	ID, Parent, Author, Message string

	changes  []change
	lessTest bool // it removes lines of test files
}

// change is a changed path of a commit, with the objects on both sides.
type change struct {
	belay.Change
	old, new string
}

// bots matches authors that are not people.
var bots = lazyregexp.New(`(?i)\[bot\]|\bbot\b|dependabot|renovate|greenkeeper|github[- ]actions|pre-commit-ci|snyk|imgbot|copybara`)

// kind selects the commits of a sample, and their half.
type kind interface {
	// may reports whether a commit may be in the sample, by its message and paths.
	may(c *commit) bool
	// half returns 0 or 1, or -1 for a commit to skip. The lines of its changes are counted by
	// then.
	half(c *commit) int
}

// byTests selects every commit: the first half removes no lines of test files.
type byTests struct{}

func (byTests) may(*commit) bool { return true }
func (byTests) half(c *commit) int {
	if c.lessTest {
		return 1
	}
	return 0
}

// sample returns the n newest commits with one parent by people, the same number of both halves. If
// there are too few of one half, there are more of the other. They are in the order of the history.
func (r *repository) sample(ctx context.Context, n int, of kind) ([]commit, error) {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	cmd := r.git(ctx, "log", "--no-merges", "--min-parents=1", "--no-renames", "--no-ext-diff", "--no-textconv",
		"--raw", "--no-abbrev", "-z", "--format=%x01%H%n%P%n%an <%ae>%n%B%x02", "HEAD")
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	var said bytes.Buffer
	cmd.Stderr = &said
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	// In a clone without old objects the log ends early: the commits before that count.
	pick, err := r.choose(bufio.NewReaderSize(out, 1<<20), n, of)
	stop()
	_ = cmd.Wait() // stopped when there are enough
	if err == nil && len(pick) == 0 {
		err = fmt.Errorf("no commits by people with one parent: %s", strings.TrimSpace(said.String()))
	}
	return pick, err
}

// choose reads a log until both halves are full.
func (r *repository) choose(log *bufio.Reader, n int, of kind) ([]commit, error) {
	type numbered struct {
		commit
		at int
	}
	var halves [2][]numbered
	if _, err := log.ReadString(1); err != nil && err != io.EOF {
		return nil, err
	}
	for at := 0; len(halves[0]) < n || len(halves[1]) < n; at++ {
		if len(halves[0]) >= n/2 && len(halves[1]) >= n-n/2 && len(halves[0])+len(halves[1]) >= n {
			break
		}
		text, err := log.ReadString(1)
		if err != nil && err != io.EOF {
			return nil, err
		}
		c, ok := parse(strings.TrimSuffix(text, "\x01"))
		if ok = ok && len(c.changes) > 0 && len(c.changes) <= most && !bots.MatchString(c.Author) && of.may(&c); ok {
			if ok, err = r.measure(&c); err != nil {
				return nil, err
			}
		}
		if ok {
			if half := of.half(&c); half >= 0 && len(halves[half]) < n {
				halves[half] = append(halves[half], numbered{c, at})
			}
		}
		if strings.TrimSuffix(text, "\x01") == text { // the end of the log
			break
		}
	}
	few := min(len(halves[0]), n/2)
	test := min(len(halves[1]), n-few)
	few = min(len(halves[0]), n-test)
	all := append(halves[0][:few:few], halves[1][:test]...)
	slices.SortFunc(all, func(a, b numbered) int { return a.at - b.at })
	var out []commit
	for _, c := range all {
		out = append(out, c.commit)
	}
	return out, nil
}

// parse parses one commit of the log: its header and its changes. Git detects no renames, so that
// each change has one path.
func parse(text string) (c commit, ok bool) {
	head, rest, ok := strings.Cut(text, "\x02")
	lines := strings.SplitN(head, "\n", 4)
	if !ok || len(lines) < 4 {
		return c, false
	}
	c.ID, c.Parent, c.Author, c.Message = lines[0], lines[1], lines[2], strings.TrimSpace(lines[3])
	records := strings.Split(rest, "\x00")
	for i := 0; i < len(records); i++ {
		record := strings.TrimLeft(records[i], "\n")
		if raw, is := strings.CutPrefix(record, ":"); is && i+1 < len(records) {
			words := strings.Fields(raw)
			i++
			if len(words) != 5 {
				continue
			}
			one := change{old: words[2], new: words[3]}
			one.Path, one.Status = records[i], words[4][:1]
			one.OldMode, one.NewMode = mode(words[0]), mode(words[1])
			c.changes = append(c.changes, one)
			continue
		}
	}
	return c, true
}

// most limits the files of a commit: one that renames a complete tree is of little use.
const most = 400

// measure counts the lines of a commit's changes. It returns false if the clone lacks an object,
// like shallow and partial ones.
func (r *repository) measure(c *commit) (bool, error) {
	for i := range c.changes {
		one := &c.changes[i]
		var sides [2][]byte
		for k, oid := range []string{one.old, one.new} {
			if mode := []uint32{one.OldMode, one.NewMode}[k]; mode&0o170000 != 0o100000 {
				continue
			}
			text, there, err := r.blob(oid)
			if err != nil || !there {
				return false, err
			}
			sides[k] = text
		}
		if one.Binary = syntax.IsBinary(sides[0]) || syntax.IsBinary(sides[1]); !one.Binary {
			one.Added, one.Deleted = syntax.AddedLines(sides[0], sides[1]).Count(), syntax.AddedLines(sides[1], sides[0]).Count()
		}
		c.lessTest = c.lessTest || one.Deleted > 0 && ofTests(one.Path)
	}
	return true, nil
}

func mode(octal string) uint32 {
	n, _ := strconv.ParseUint(octal, 8, 32)
	return uint32(n)
}

// ofTests reports whether a path is a test file's. C# and Rust files may contain tests anywhere, so
// only names and folders count.
func ofTests(path string) bool {
	return (syntax.LanguageOf(path) != syntax.None || strings.HasSuffix(path, ".phpt")) && syntax.IsForTests(path)
}
