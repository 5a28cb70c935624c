package snapshot

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/git"
)

// formatByType maps the type of the object that a ref names to the snapshot format. Tags are
// written today. An unknown type is an error.
var formatByType = map[string]string{"commit": "1", "tag": "2"}

// tagMessage returns the message of the tag (in format 1, of the commit): a line for people and
// one trailer for each fact, so that listing snapshots takes one process.
func (i *Info) tagMessage() string {
	expected, _ := json.Marshal(i.Expected) // a list of strings always encodes
	var b strings.Builder
	fmt.Fprintf(&b, "belay: %s\n\n", strings.TrimSpace(string(i.Kind)+" "+oneLine(i.Message)))
	for _, t := range [][2]string{
		{"Format", formatByType["tag"]}, {"Kind", string(i.Kind)}, {"Task", string(i.Task)}, {"Attempt", formatCount(i.Attempt)},
		{"Command", i.Command}, {"Message", formatString(i.Message)}, {"Feature", formatString(i.Feature)},
		{"Agent", formatString(i.Agent)},
		{"Expected", string(expected)}, {"Journal", i.Journal}, {"Time", i.Time.UTC().Format(time.RFC3339Nano)},
		{"Worktree", formatString(i.Worktree)}, {"Head", i.Head}, {"Branch", formatString(i.Branch)},
		{"Operation", i.Operation}, {"Tree", i.Tree},
		{"Files", strconv.Itoa(i.Files)}, {"Partial", formatBool(i.Partial)}, {"Moving", formatBool(i.Unstable)},
		{"Odd", formatCount(i.oddCount)}, {"Inner", formatCount(i.innerCount)},
	} {
		if t[1] != "" && t[1] != "null" {
			fmt.Fprintf(&b, "Belay-%s: %s\n", t[0], t[1])
		}
	}
	return b.String()
}

func oneLine(s string) string { return strings.Join(strings.Fields(belay.Visible(s)), " ") }

func formatString(s string) string {
	if s == "" {
		return ""
	}
	return strconv.Quote(s)
}

func formatCount(n int) string {
	if n == 0 {
		return ""
	}
	return strconv.Itoa(n)
}

func formatBool(b bool) string {
	if !b {
		return ""
	}
	return "true"
}

// parseTagMessage reads a message of tagMessage into i. typ is the type of the object that the
// ref names.
func parseTagMessage(text, typ string, i *Info) error {
	format, ours := formatByType[typ]
	if !ours {
		return fmt.Errorf("%s is not a belay snapshot: it names a %s", i.ref(), typ)
	}
	facts := map[string]string{}
	for line := range strings.Lines(text) {
		if name, value, ok := strings.Cut(strings.TrimSuffix(line, "\n"), ": "); ok && strings.HasPrefix(name, "Belay-") {
			facts[name[len("Belay-"):]] = value
		}
	}
	if v := facts["Format"]; v != format {
		return belay.Refuse(belay.CodeCannot, "use the version of belay that took it",
			"snapshot %s has the unknown format %q", i.ID, v)
	}
	unquote := func(name string) string {
		s, err := strconv.Unquote(facts[name])
		if err != nil {
			return ""
		}
		return s
	}
	i.Kind, i.Task, i.Command, i.Journal = belay.Kind(facts["Kind"]), belay.TaskID(facts["Task"]), facts["Command"], facts["Journal"]
	i.Message, i.Feature, i.Agent, i.Branch = unquote("Message"), unquote("Feature"), unquote("Agent"), unquote("Branch")
	i.Worktree = unquote("Worktree")
	i.Head, i.Operation, i.Tree = facts["Head"], facts["Operation"], facts["Tree"]
	i.Partial, i.Unstable = facts["Partial"] == "true", facts["Moving"] == "true"
	i.Attempt, _ = strconv.Atoi(facts["Attempt"])
	i.Files, _ = strconv.Atoi(facts["Files"])
	i.oddCount, _ = strconv.Atoi(facts["Odd"])
	i.innerCount, _ = strconv.Atoi(facts["Inner"])
	if e := facts["Expected"]; e != "" {
		if err := json.Unmarshal([]byte(e), &i.Expected); err != nil {
			return fmt.Errorf("read snapshot %s: %w", i.ID, err)
		}
	}
	var err error
	if i.Time, err = time.Parse(time.RFC3339Nano, facts["Time"]); err != nil {
		return fmt.Errorf("read snapshot %s: %w", i.ID, err)
	}
	return nil
}

// List returns all snapshots, oldest first, without those that cannot be read; ListAll reports
// these.
func (s *Store) List(ctx context.Context) ([]Info, error) {
	all, _, err := s.list(ctx)
	return all, err
}

// ListAll is List, and returns an error for each snapshot that cannot be read.
func (s *Store) ListAll(ctx context.Context) (all []Info, unreadable []error, err error) {
	all, unreadable, err = s.list(ctx)
	if err != nil {
		return nil, nil, err
	}
	names, err := s.Repo.LooseRefs(RefPrefix)
	if err != nil {
		return nil, nil, err
	}
	listed := map[string]bool{}
	for _, i := range all {
		listed[string(i.ID)] = true
	}
	for _, name := range names {
		id := strings.TrimPrefix(name, RefPrefix)
		if !listed[id] && !slices.ContainsFunc(unreadable, func(err error) bool {
			return strings.Contains(err.Error(), id) || strings.Contains(err.Error(), belay.SnapshotID(id).Short())
		}) {
			unreadable = append(unreadable, fmt.Errorf("snapshot %s cannot be read: %s names nothing", belay.SnapshotID(id).Short(), name))
		}
	}
	return all, unreadable, nil
}

// DropListCache makes the next List read all snapshots again, after a program ran that may have
// changed the repository.
func (s *Store) DropListCache() { s.infoCache.Clear() }

// listCached lists the snapshots of refs that were all read before; ok is false when one was not.
func (s *Store) listCached(refs []git.Ref) (all []Info, bad []error, ok bool) {
	for _, ref := range refs {
		kept, ok := s.infoCache.Load(ref)
		if !ok {
			return nil, nil, false
		}
		info := kept.(Info)
		if err := s.checkPin(info.ID, info.Commit); err != nil {
			bad = append(bad, err)
			continue
		}
		all = append(all, info)
	}
	slices.SortFunc(all, func(a, b Info) int { return strings.Compare(string(a.ID), string(b.ID)) })
	return all, bad, true
}

func (s *Store) list(ctx context.Context) (all []Info, bad []error, err error) {
	if !s.Repo.UsesReftable { // git would read the target of a link among the refs, or wait forever for a FIFO
		refs, err := s.Repo.Refs(ctx, RefPrefix)
		if err != nil {
			return nil, nil, err
		}
		if all, bad, ok := s.listCached(refs); ok {
			return all, bad, nil
		}
	}
	out, err := s.Repo.Run(ctx, nil, "for-each-ref", "--format=%(refname)%00%(objectname)%00%(objecttype)%00%(contents)%00", RefPrefix)
	var f *git.CommandError
	if errors.As(err, &f) { // git fails on the complete list because of one ref whose object is missing
		return s.listOneByOne(ctx)
	}
	if err != nil {
		return nil, nil, err
	}
	fields := strings.Split(string(out), "\x00")
	for i := 0; i+3 < len(fields); i += 4 {
		name := strings.TrimPrefix(strings.TrimPrefix(fields[i], "\n"), RefPrefix)
		info := Info{ID: belay.SnapshotID(name), Commit: fields[i+1]}
		if _, err := belay.ParseSnapshotID(name); err != nil || !info.ID.IsComplete() {
			bad = append(bad, fmt.Errorf("%s%s is not a belay snapshot", RefPrefix, name))
			continue
		}
		err := s.checkPin(info.ID, info.Commit)
		if err == nil {
			err = parseTagMessage(fields[i+3], fields[i+2], &info)
		}
		if err != nil {
			bad = append(bad, err)
			continue
		}
		s.infoCache.Store(git.Ref{Name: RefPrefix + name, OID: info.Commit}, info)
		all = append(all, info)
	}
	slices.SortFunc(all, func(a, b Info) int { return strings.Compare(string(a.ID), string(b.ID)) })
	return all, bad, nil
}

// listOneByOne is list for repositories in which the object of some snapshot cannot be read.
func (s *Store) listOneByOne(ctx context.Context) (all []Info, bad []error, err error) {
	refs, err := s.Repo.Refs(ctx, RefPrefix)
	if err != nil {
		return nil, nil, err
	}
	for _, ref := range refs {
		info, err := s.readInfo(ctx, ref)
		_, noID := belay.ParseSnapshotID(string(info.ID))
		switch {
		case ctx.Err() != nil:
			return nil, nil, ctx.Err()
		case noID != nil || !info.ID.IsComplete():
			bad = append(bad, fmt.Errorf("%s is not a belay snapshot", ref.Name))
		case err != nil:
			bad = append(bad, err)
		default:
			all = append(all, info)
		}
	}
	slices.SortFunc(all, func(a, b Info) int { return strings.Compare(string(a.ID), string(b.ID)) })
	return all, bad, nil
}

// Get returns a snapshot by its id or a prefix of it, with its gaps. CodeNotFound when there is
// none, CodeUsage when the prefix is ambiguous.
func (s *Store) Get(ctx context.Context, id belay.SnapshotID) (Info, error) {
	defer s.Repo.ShareReader()()
	info, err := s.LookUp(ctx, id)
	if err != nil {
		return info, err
	}
	m, err := s.Manifest(ctx, info)
	if err != nil {
		return info, err
	}
	info.Gaps, info.Nested = splitGaps(m)
	return info, nil
}

// LookUp is Get without the gaps.
func (s *Store) LookUp(ctx context.Context, id belay.SnapshotID) (Info, error) {
	if i, ok := s.opts.Registry.transientInfo(id); ok {
		return i, nil
	}
	ref, err := s.resolveRef(ctx, id)
	if err != nil {
		return Info{}, err
	}
	return s.readInfo(ctx, ref)
}

// readInfo reads the object that the ref of a snapshot names.
func (s *Store) readInfo(ctx context.Context, ref git.Ref) (Info, error) {
	rd, err := s.Repo.Reader(ctx)
	if err != nil {
		return Info{}, err
	}
	defer rd.Close()
	info := Info{ID: belay.SnapshotID(strings.TrimPrefix(ref.Name, RefPrefix)), Commit: ref.OID}
	if err := s.checkPin(info.ID, info.Commit); err != nil {
		return info, err
	}
	o, err := rd.Read(ref.OID)
	if errors.Is(err, git.ErrNoObject) {
		return info, belay.Refuse(belay.CodeCannot, "git update-ref -d "+ref.Name+" forgets it",
			"the content of snapshot %s is missing from the repository", info.ID.Short())
	}
	if err != nil {
		return info, fmt.Errorf("read snapshot %s: %w", info.ID, err)
	}
	_, message, _ := strings.Cut(string(o.Data), "\n\n")
	return info, parseTagMessage(message, o.Type, &info)
}

// Resolve returns the full id for a prefix, with the errors of Get.
func (s *Store) Resolve(ctx context.Context, id belay.SnapshotID) (belay.SnapshotID, error) {
	ref, err := s.resolveRef(ctx, id)
	return belay.SnapshotID(strings.TrimPrefix(ref.Name, RefPrefix)), err
}

func (s *Store) resolveRef(ctx context.Context, id belay.SnapshotID) (git.Ref, error) {
	name := RefPrefix
	if id.IsComplete() {
		name += string(id)
	}
	refs, err := s.Repo.Refs(ctx, name)
	if err != nil {
		return git.Ref{}, err
	}
	var found []git.Ref
	var bad error
	for _, r := range refs {
		name := strings.TrimPrefix(r.Name, RefPrefix)
		if !strings.HasPrefix(name, string(id)) {
			continue
		}
		if _, err := belay.ParseSnapshotID(name); err != nil || !belay.SnapshotID(name).IsComplete() {
			bad = fmt.Errorf("%s is not a belay snapshot", r.Name)
			continue
		}
		found = append(found, r)
	}
	switch {
	case len(found) == 1:
		return found[0], nil
	case len(found) == 0 && bad != nil:
		return git.Ref{}, bad
	case len(found) == 0:
		return git.Ref{}, belay.Refuse(belay.CodeNotFound, "belay snapshot list", "there is no snapshot %s", id)
	}
	return git.Ref{}, belay.Refuse(belay.CodeUsage, "give more of the id: belay snapshot list",
		"%d snapshots start with %s", len(found), id)
}

// Find returns the newest snapshot that was taken for a command of a task, among those that ours
// accepts. Others need not be ours: anybody who can write to the repository can write a snapshot's
// message, and an earlier task may have had the same id.
func (s *Store) Find(ctx context.Context, task belay.TaskID, command string, ours func(Info) bool) (Info, bool, error) {
	all, err := s.List(ctx)
	if err != nil || command == "" {
		return Info{}, false, err
	}
	for _, i := range slices.Backward(all) {
		if i.Task.Key() == task.Key() && i.Command == command && ours(i) {
			return i, true, nil
		}
	}
	return Info{}, false, nil
}
