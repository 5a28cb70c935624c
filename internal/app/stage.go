package app

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/fsroot"
	"github.com/belay-dev/belay/internal/journal"
	"github.com/belay-dev/belay/internal/phase"
	"github.com/belay-dev/belay/internal/review"
	"github.com/belay-dev/belay/internal/session"
	"github.com/belay-dev/belay/internal/tasklist"
)

// Stage is an opened feature: its record, its layout and the tree that contains its documents.
type Stage struct {
	Service   *Service
	Rec       *session.FeatureRecord
	Layout    tasklist.Layout
	OtherTree string   // set if the current tree is not the feature's: explains which is
	Notes     []string // notes for a person
	artefacts map[phase.Phase]tasklist.Artefact
}

// FeatureView is a feature in the form that commands print.
type FeatureView struct {
	*phase.Feature
	Phase    phase.Phase    `json:"phase"` // the phase in progress, else the last completed one
	Begun    bool           `json:"in_progress"`
	Next     NextStep       `json:"next"`
	Steps    []PhaseView    `json:"steps"`
	Tasks    int            `json:"tasks"` // number of recorded tasks
	Open     int            `json:"open"`  // number of open tasks
	Boxes    *Boxes         `json:"boxes,omitempty"`
	History  []FeatureEvent `json:"history"`
	Problem  string         `json:"problem,omitempty"` // why its documents cannot be read
	Warnings []string       `json:"warnings,omitempty"`

	Elsewhere string `json:"elsewhere,omitempty"` // set if this is not the feature's working tree: explains which is
}

// NextStep is the next phase of a feature, and the command for it.
type NextStep struct {
	Phase   phase.Phase `json:"phase"`
	Command string      `json:"command"`
}

// PhaseView is one phase of a feature.
type PhaseView struct {
	Phase    phase.Phase `json:"phase"`
	InMode   bool        `json:"in_mode"`
	Artefact phase.State `json:"artefact"`
	File     string      `json:"file,omitempty"` // expected path of the artefact
	Begun    bool        `json:"begun"`
	Done     bool        `json:"done"`
	Verified bool        `json:"verified"`
	Rounds   int         `json:"iterations"`
	Concerns int         `json:"concerns"`
}

// Boxes counts the tasks in a feature's task list.
type Boxes struct {
	Done  int `json:"done"`
	Total int `json:"of"`
}

// FeatureEvent is a line of a feature's history.
type FeatureEvent struct {
	Seq  int       `json:"seq"`
	Time time.Time `json:"time"`
	Text string    `json:"says"`
}

// Features reads all features. Unreadable records are skipped and counted in bad.
func (s *Service) Features() (all []*session.FeatureRecord, bad int, err error) {
	all, err = s.Session.Features(func(belay.TaskID, error) { bad++ })
	return all, bad, err
}

// Stage finds the feature to work on: by its name or number, else the only active one, or the one
// named by BELAY_FEATURE, the current folder or the branch. Errors: belay.CodeNotFound;
// belay.CodeUsage when several match.
func (s *Service) Stage(ctx context.Context, name string) (*Stage, error) {
	all, bad, err := s.Features()
	if err != nil {
		return nil, err
	}
	rec, err := s.findFeature(ctx, all, name)
	if belay.CodeOf(err) == belay.CodeNotFound && bad > 0 {
		return nil, belay.Refuse(belay.CodeCannot, "belay log --verify", "%s, and %s of features cannot be read", err.Error(),
			belay.CountOf(bad, "record"))
	}
	if err != nil {
		return nil, err
	}
	return s.stageOf(ctx, rec)
}

// stageOf opens a feature in the tree that contains its documents.
func (svc *Service) stageOf(ctx context.Context, rec *session.FeatureRecord) (*Stage, error) {
	s := &Stage{Service: svc, Rec: rec, artefacts: map[phase.Phase]tasklist.Artefact{}}
	var ok bool
	if s.Layout, ok = tasklist.LayoutAt(rec.Feature.Layout, rec.Feature.Folder); !ok {
		return nil, belay.Refuse(belay.CodeCannot, "use the version of belay that wrote it", "the layout %s of %s is not known",
			belay.VisibleLine(rec.Feature.Layout), belay.VisibleLine(rec.Feature.Name))
	}
	tree := filepath.Join(mainTreeRoot(svc.Session), filepath.FromSlash(rec.Feature.Tree))
	if tree == svc.Session.Repo.Root || !fsroot.IsFolder(filepath.Join(tree, rec.Feature.Folder)) {
		return s, nil
	}
	other, err := Open(ctx, OpenOptions{Dir: tree, Self: svc.Session.ShimArgv, Ask: svc.ask})
	if err != nil || other.Session.Repo.Common != svc.Session.Repo.Common {
		return s, nil // it was moved, or belongs to another repository now
	}
	s.Service = other
	s.OtherTree = fmt.Sprintf("this is %s, and the worktree of %s is %s", belay.VisibleLine(svc.Session.Repo.Root),
		belay.VisibleLine(rec.Feature.Name), belay.VisibleLine(tree))
	s.Notes = append(s.Notes, s.OtherTree)
	return s, nil
}

// mainTreeRoot returns the folder that recorded worktree paths of features are relative to: the one
// that contains the git folder, which is the same from every worktree.
func mainTreeRoot(s *session.Session) string { return filepath.Dir(s.Repo.Common) }

func (s *Service) findFeature(ctx context.Context, all []*session.FeatureRecord, name string) (*session.FeatureRecord, error) {
	active := slices.DeleteFunc(slices.Clone(all), func(r *session.FeatureRecord) bool { return !r.Feature.Active() })
	if name == "" {
		name = os.Getenv("BELAY_FEATURE")
	}
	if name != "" {
		for _, list := range [][]*session.FeatureRecord{active, all} {
			if found := featuresNamed(list, name); len(found) > 0 {
				return onlyFeature(found)
			}
		}
		return nil, belay.Refuse(belay.CodeNotFound, "belay feature list, or belay feature start "+belay.VisibleLine(name),
			"there is no feature %s", belay.VisibleLine(name))
	}
	switch len(active) {
	case 0:
		return nil, belay.Refuse(belay.CodeNotFound, "belay feature start NAME", "no feature is active")
	case 1:
		return active[0], nil
	}
	here, _ := os.Getwd()
	branch := ""
	if refs, err := s.Session.Repo.Refs(ctx); err == nil {
		if head, err := s.Session.Repo.Head(ctx, refs); err == nil {
			branch = strings.TrimPrefix(head.Branch, "refs/heads/")
		}
	}
	for _, r := range active {
		folder := filepath.Join(s.Session.Repo.Root, r.Feature.Folder)
		if here == folder || fsroot.RelativeTo(folder, here) != "" || branch == r.Feature.Name {
			return r, nil
		}
	}
	return onlyFeature(active)
}

// featuresNamed returns the features with a name, else those with a number, else those with the
// name after the number.
func featuresNamed(list []*session.FeatureRecord, name string) (found []*session.FeatureRecord) {
	for _, fits := range []func(r *session.FeatureRecord) bool{
		func(r *session.FeatureRecord) bool {
			return r.Feature.Name == name || r.Feature.Folder == strings.TrimSuffix(name, "/")
		},
		func(r *session.FeatureRecord) bool {
			n := tasklist.NumberOf(name)
			return strings.Trim(name, "0123456789") == "" && n >= 0 && tasklist.NumberOf(r.Feature.Name) == n
		},
		func(r *session.FeatureRecord) bool { // "search" finds 003-search
			return tasklist.NumberOf(r.Feature.Name) >= 0 && strings.EqualFold(strings.TrimLeft(r.Feature.Name, "0123456789-_. "), name)
		},
	} {
		for _, r := range list {
			if fits(r) {
				found = append(found, r)
			}
		}
		if len(found) > 0 {
			return found
		}
	}
	return nil
}

func onlyFeature(found []*session.FeatureRecord) (*session.FeatureRecord, error) {
	if len(found) == 1 {
		return found[0], nil
	}
	var names []string
	for _, r := range found {
		names = append(names, belay.VisibleLine(r.Feature.Name))
	}
	return nil, belay.Refuse(belay.CodeUsage, "name the one that is meant; commands of a phase take --feature "+names[0],
		"several features fit: %s", strings.Join(names, ", "))
}

// openRoot opens the tree for reading documents.
func (s *Stage) openRoot() (*fsroot.Root, error) { return fsroot.OpenRoot(s.Service.Session.Repo.Root) }

// Artefact returns the output of a phase from the current files. They are read once.
func (s *Stage) Artefact(p phase.Phase) (tasklist.Artefact, error) {
	if a, read := s.artefacts[p]; read {
		return a, nil
	}
	root, err := s.openRoot()
	if err != nil {
		return tasklist.Artefact{}, err
	}
	defer root.Close()
	a, err := s.Layout.Artefact(root, s.Rec.Feature.Folder, p)
	if err == nil {
		s.artefacts[p] = a
	}
	return a, err
}

// checkFolder fails if the feature's folder is missing, and suggests the folder that it may have
// been renamed to.
func (s *Stage) checkFolder() error {
	root, err := s.openRoot()
	if err != nil {
		return err
	}
	defer root.Close()
	if info, err := root.Lstat(s.Rec.Feature.Folder); err == nil && info.Kind == fsroot.Folder {
		return nil
	}
	try := fmt.Sprintf("belay feature rename %s NEW-NAME, where it was renamed", s.Rec.Feature.Name)
	if now := s.renamedFolders(root); len(now) == 1 {
		try = fmt.Sprintf("belay feature rename %s %s", s.Rec.Feature.Name, now[0])
	}
	return belay.Refuse(belay.CodeNotFound, belay.VisibleLine(try), "the folder %s of the feature is gone",
		belay.VisibleLine(s.Rec.Feature.Folder))
}

// renamedFolders returns the folders of the layout that the feature may have been renamed to: no
// record names them, and they have its number or one of its documents.
func (s *Stage) renamedFolders(root *fsroot.Root) (out []string) {
	names, err := s.Layout.Folders(root)
	all, _, lerr := s.Service.Features()
	if err != nil || lerr != nil {
		return nil
	}
	for _, n := range names {
		taken := slices.ContainsFunc(all, func(r *session.FeatureRecord) bool {
			return r.Feature.Active() && r.Feature.Folder == s.Layout.Parent+"/"+n
		})
		same := tasklist.NumberOf(n) >= 0 && tasklist.NumberOf(n) == tasklist.NumberOf(s.Rec.Feature.Name)
		for p, g := range s.Rec.Feature.Phases {
			a, err := s.Layout.Artefact(root, s.Layout.Parent+"/"+n, p)
			same = same || err == nil && g.SHA != "" && a.SHA == g.SHA
		}
		if same && !taken {
			out = append(out, n)
		}
	}
	return out
}

// phaseStates returns the state of each phase of the feature.
func (s *Stage) phaseStates() (map[phase.Phase]phase.PhaseState, error) {
	var bad error
	all := s.Rec.Feature.States(func(p phase.Phase) (phase.State, string) {
		a, err := s.Artefact(p)
		if err != nil && bad == nil {
			bad = err
		}
		return a.State, a.SHA
	})
	return all, bad
}

// Check reports whether a phase may start now.
func (s *Stage) Check(p phase.Phase) (phase.Answer, error) { return s.checkPhase(p, false) }

// checkPhase is Check; with completes it allows a phase that was started.
func (s *Stage) checkPhase(p phase.Phase, completes bool) (phase.Answer, error) {
	if err := s.checkFolder(); err != nil {
		return phase.Answer{}, err
	}
	all, err := s.phaseStates()
	if err != nil {
		return phase.Answer{}, err
	}
	if completes {
		all[p] = phase.PhaseState{Artefact: all[p].Artefact}
	}
	a := phase.Check(phase.Input{Phase: p, Mode: s.Rec.Feature.Mode, Phases: all, Finished: !s.Rec.Feature.Active()})
	if a.Lacks != "" {
		if at := s.Layout.ArtefactPath(s.Rec.Feature.Folder, a.Lacks); s.Layout.Files[a.Lacks] != "" {
			a.Message += " (" + belay.VisibleLine(at) + ")"
		} else {
			a.Message = fmt.Sprintf("%s comes after %s, which is not completed", p, a.Lacks)
		}
	}
	return a, nil
}

// featureFlag returns the flag that selects the feature in a command, "" if no other feature is
// active.
func (s *Stage) featureFlag() string {
	all, _, err := s.Service.Features()
	others := func(r *session.FeatureRecord) bool { return r.Feature.Active() && r.Feature.ID != s.Rec.Feature.ID }
	if err != nil || slices.ContainsFunc(all, others) {
		return " --feature " + s.Rec.Feature.Name
	}
	return ""
}

// nextStep returns the feature's next step.
func (s *Stage) nextStep(all map[phase.Phase]phase.PhaseState) NextStep {
	n := NextStep{Phase: phase.Next(s.Rec.Feature.Mode, all)}
	flag := s.featureFlag()
	switch g := s.Rec.Feature.Of(n.Phase); {
	case !s.Rec.Feature.Active() || n.Phase == "":
		n.Phase = ""
	case n.Phase == phase.Finish:
		n.Command = "belay feature finish " + s.Rec.Feature.Name
	case g.Open() && g.Last() != nil && len(g.Last().Waits) > 0:
		n.Command = fmt.Sprintf("belay phase review %s%s --verdict approve --by %s", n.Phase, flag, g.Last().Waits[0])
	case g.Open():
		n.Command = fmt.Sprintf("belay phase done %s%s", n.Phase, flag)
	default:
		n.Command = fmt.Sprintf("belay phase start %s%s", n.Phase, flag)
	}
	n.Command = belay.VisibleLine(n.Command)
	return n
}

// View returns the feature as commands print it, with the error if its documents cannot be read.
func (s *Stage) View() FeatureView {
	v := FeatureView{Feature: s.Rec.Feature, Phase: s.Rec.Feature.Current(), Steps: []PhaseView{}, History: []FeatureEvent{},
		Warnings: s.Notes, Elsewhere: s.OtherTree}
	v.Begun = s.Rec.Feature.Of(v.Phase).Open()
	if err := s.checkFolder(); err != nil && s.Rec.Feature.Active() {
		v.Problem = session.ErrorLine(err)
	}
	all, err := s.phaseStates()
	if err != nil {
		v.Problem = session.ErrorLine(err)
	}
	v.Next = s.nextStep(all)
	for _, p := range phase.All[:len(phase.All)-1] {
		st, g := all[p], s.Rec.Feature.Of(p)
		w := PhaseView{Phase: p, InMode: slices.Contains(phase.Paths[s.Rec.Feature.Mode], p), Artefact: st.Artefact, Begun: st.Begun,
			Done: st.Done, Verified: g.Verified, Rounds: len(g.Iterations), Concerns: len(g.Concerns)}
		if s.Layout.Files[p] != "" {
			w.File = s.Layout.ArtefactPath(s.Rec.Feature.Folder, p)
			if art, err := s.Artefact(p); err == nil && len(art.Files) > 0 {
				w.File = art.Files[0].Path
			}
		}
		v.Steps = append(v.Steps, w)
	}
	for _, e := range s.Rec.Feature.All {
		says := e.Says()
		if e.Undone {
			says += " (undone)"
		}
		v.History = append(v.History, FeatureEvent{e.Seq, e.Time, says})
	}
	for _, b := range s.boxes() {
		if v.Boxes == nil {
			v.Boxes = &Boxes{}
		}
		if v.Boxes.Total++; b.Done {
			v.Boxes.Done++
		}
	}
	return v
}

// boxes returns the tasks of the feature's task list.
func (s *Stage) boxes() (out []review.Box) {
	a, err := s.Artefact(phase.CreateTasks)
	if err != nil {
		return nil
	}
	for _, f := range a.Files {
		out = append(out, taskBoxes(f.Path, f.Text)...)
	}
	return out
}

// addEvent records an event. It fails with CodeBusy if another process recorded one first.
func (s *Stage) addEvent(ctx context.Context, e phase.Event) error {
	e.By = authorName(e.By)
	err := s.Service.Session.AddToFeature(ctx, s.Rec, e)
	var moved *journal.MovedError
	if errors.As(err, &moved) {
		return belay.Refuse(belay.CodeBusy, "belay feature show "+belay.VisibleLine(s.Rec.Feature.Name)+", then run the command again",
			"another process changed the feature meanwhile")
	}
	return err
}

// StartFeature asks to start a feature. Empty Layout and Mode select the layout in use and the
// config's mode.
type StartFeature struct {
	Name, Mode, Layout, By string
}

// Begin starts a feature, or adopts its existing folder. For an active feature it only sets the
// given mode.
func (svc *Service) Begin(ctx context.Context, q StartFeature) (*Stage, error) {
	if q.Mode != "" && !slices.Contains(phase.ModeNames, q.Mode) {
		return nil, belay.Refuse(belay.CodeUsage, "use one of "+strings.Join(phase.ModeNames, ", "), "%q is not a mode",
			belay.VisibleLine(q.Mode))
	}
	unlock, err := svc.lockName(ctx, "features.lock")
	if err != nil {
		return nil, err
	}
	defer unlock()
	all, _, err := svc.Features()
	if err != nil {
		return nil, err
	}
	root, err := fsroot.OpenRoot(svc.Session.Repo.Root)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	layout, name, err := folderFor(root, all, q)
	if err != nil {
		return nil, err
	}
	folder := layout.Parent + "/" + name
	for _, r := range all {
		if r.Feature.Active() && r.Feature.Folder == folder {
			return svc.beginActive(ctx, r, q)
		}
	}
	made, above := "", ""
	for part := range strings.SplitSeq(folder, "/") {
		above = path.Join(above, part)
		switch info, err := root.Lstat(above); {
		case err != nil:
			if err := root.Mkdir(above, 0o755); err != nil {
				return nil, fmt.Errorf("make %s: %w", belay.VisibleLine(above), err)
			}
			made = folder
		case info.Kind != fsroot.Folder:
			return nil, belay.Refuse(belay.CodeCannot, "choose another name, or move it away", "%s is not a folder",
				belay.VisibleLine(above))
		}
	}
	tree, err := filepath.Rel(mainTreeRoot(svc.Session), svc.Session.Repo.Root)
	if err != nil {
		return nil, err
	}
	mode := q.Mode
	if mode == "" {
		mode = svc.Session.Config.Mode
	}
	rec, err := svc.Session.CreateFeature(ctx, phase.Event{Kind: phase.EvFeature, Name: name,
		Folder: folder, Layout: string(layout.Dialect),
		Mode: mode, Tree: filepath.ToSlash(tree), By: authorName(q.By)})
	if err != nil {
		return nil, err
	}
	s, err := svc.stageOf(ctx, rec)
	if err == nil && made != "" {
		s.Notes = append(s.Notes, "created "+belay.VisibleLine(made)+"/")
	}
	return s, err
}

// beginActive is Begin for a feature that is active.
func (svc *Service) beginActive(ctx context.Context, r *session.FeatureRecord, q StartFeature) (*Stage, error) {
	s, err := svc.stageOf(ctx, r)
	if err != nil {
		return nil, err
	}
	if q.Mode == "" || q.Mode == r.Feature.Mode {
		s.Notes = append(s.Notes, belay.VisibleLine(r.Feature.Name)+" is active already")
		return s, nil
	}
	return s, s.addEvent(ctx, phase.Event{Kind: phase.EvMode, Mode: q.Mode, By: q.By})
}

// lockName locks a file by its name, so that two processes do not start the same feature or import the same tasks.
func (s *Service) lockName(ctx context.Context, name string) (unlock func(), err error) {
	lock := fsroot.NewLock(filepath.Join(s.Session.Repo.Common, "belay", name))
	if err := fsroot.MkdirAll(filepath.Dir(lock.Path()), 0o700); err != nil {
		return nil, fmt.Errorf("make %s: %w", filepath.Dir(lock.Path()), err)
	}
	if _, err := lock.TryLockContext(ctx, 20*time.Millisecond); err != nil {
		return nil, fmt.Errorf("lock %s: %w", lock.Path(), err)
	}
	return func() { _ = lock.Unlock() }, nil
}

// folderFor finds the folder of a feature in the layouts in use, or chooses a new one.
func folderFor(root *fsroot.Root, all []*session.FeatureRecord, q StartFeature) (tasklist.Layout, string, error) {
	used := tasklist.LayoutsInUse(root)
	if q.Layout != "" {
		used = slices.DeleteFunc(slices.Clone(tasklist.Layouts), func(l tasklist.Layout) bool { return string(l.Dialect) != q.Layout })
		if len(used) == 0 {
			return tasklist.Layout{}, "", belay.Refuse(belay.CodeUsage, "use one of "+strings.Join(tasklist.LayoutNames(), ", "),
				"%q is not a layout", belay.VisibleLine(q.Layout))
		}
	}
	type at struct {
		layout tasklist.Layout
		name   string
	}
	var exact, numbered, named []at // matches by full name, by number, by name without the number
	slug, bad := tasklist.Slug(q.Name)
	top := 0
	for _, l := range used {
		names, err := l.Folders(root)
		if err != nil {
			return l, "", err
		}
		for _, n := range names {
			top = max(top, tasklist.NumberOf(n))
			if n == q.Name || l.Parent+"/"+n == strings.Trim(path.Clean(q.Name), "/") {
				exact = append(exact, at{l, n})
			} else if strings.Trim(q.Name, "0123456789") == "" && tasklist.NumberOf(q.Name) == tasklist.NumberOf(n) && q.Name != "" {
				numbered = append(numbered, at{l, n})
			} else if tasklist.NumberOf(n) >= 0 && strings.EqualFold(strings.TrimLeft(n, "0123456789-_. "), slug) && bad == nil {
				named = append(named, at{l, n})
			}
		}
	}
	if len(exact) == 0 {
		exact = numbered
	}
	if len(exact) == 0 {
		exact = named
	}
	if len(exact) > 1 {
		var names []string
		for _, e := range exact {
			names = append(names, belay.VisibleLine(e.layout.Parent+"/"+e.name))
		}
		return tasklist.Layout{}, "", belay.Refuse(belay.CodeUsage, "give the whole path of one of them", "several folders fit: %s",
			strings.Join(names, ", "))
	}
	if len(exact) == 1 {
		return exact[0].layout, exact[0].name, nil
	}
	if bad != nil {
		return tasklist.Layout{}, "", bad
	}
	l := used[0]
	for _, r := range all {
		top = max(top, tasklist.NumberOf(r.Feature.Name))
		if r.Feature.Active() && r.Feature.Name == slug {
			try := fmt.Sprintf("belay feature rename %s NEW-NAME, or belay feature finish %[1]s --abandon", slug)
			return l, "", belay.Refuse(belay.CodeNotFound, try, "the folder %s of the feature is gone", belay.VisibleLine(r.Feature.Folder))
		}
	}
	switch n := tasklist.NumberOf(slug); {
	case !l.Numbered:
	case n < 0:
		slug = fmt.Sprintf("%03d-%s", top+1, slug)
	default:
		same := func(r *session.FeatureRecord) bool {
			return r.Feature.Active() && tasklist.NumberOf(r.Feature.Name) == n
		}
		if i := slices.IndexFunc(all, same); i >= 0 {
			return l, "", belay.Refuse(belay.CodeUsage, fmt.Sprintf("leave the number out: the next one is %03d", top+1),
				"the feature %s has the number %d already", belay.VisibleLine(all[i].Feature.Name), n)
		}
	}
	return l, slug, nil
}

// Rename records that the feature's folder was renamed; name is the last part of its path.
func (s *Stage) Rename(ctx context.Context, name, by string) error {
	root, err := s.openRoot()
	if err != nil {
		return err
	}
	defer root.Close()
	folder := s.Layout.Parent + "/" + path.Base(path.Clean(filepath.ToSlash(name)))
	if info, err := root.Lstat(folder); err != nil || info.Kind != fsroot.Folder {
		return belay.Refuse(belay.CodeNotFound, "rename the folder first: git mv "+belay.VisibleLine(s.Rec.Feature.Folder+" "+folder),
			"there is no folder %s", belay.VisibleLine(folder))
	}
	all, _, err := s.Service.Features()
	if err != nil {
		return err
	}
	for _, r := range all {
		if r.Feature.Active() && r.Feature.Folder == folder {
			return belay.Refuse(belay.CodeUsage, "belay feature list", "%s is a feature of its own", belay.VisibleLine(folder))
		}
	}
	return s.addEvent(ctx, phase.Event{Kind: phase.EvRenamed, Name: path.Base(folder), Folder: folder, By: by})
}

// Finish ends a feature: Check must allow the phase finish, unless the feature is abandoned.
func (s *Stage) Finish(ctx context.Context, abandon bool, note, by string) (phase.Answer, error) {
	if !s.Rec.Feature.Active() {
		s.finishStatusFile(ctx)
		return phase.Answer{}, belay.Refuse(belay.CodeUsage, "belay feature show "+belay.VisibleLine(s.Rec.Feature.Name),
			"%s is %s already", belay.VisibleLine(s.Rec.Feature.Name), s.Rec.Feature.Outcome)
	}
	s.finishStatusFile(ctx)
	a := phase.Answer{Allowed: true, Type: phase.OK}
	outcome := phase.Abandoned
	if !abandon {
		var err error
		if a, err = s.Check(phase.Finish); err != nil {
			return a, err
		}
		if !a.Allowed {
			return a, belay.Refuse(belay.CodeRefused, s.tryFor(a)+"; --abandon ends it unfinished", "%s", a.Message)
		}
		outcome = phase.Finished
	}
	if err := s.addEvent(ctx, phase.Event{Kind: phase.EvFinished, Outcome: outcome, Note: note, Warned: a.Message, By: by}); err != nil {
		return a, err
	}
	s.updateStatusFile(ctx, phase.Finish)
	return a, nil
}

// SettleEnded completes a killed Finish, for use when no feature is named: the layout's own file
// may still show the last ended feature as active.
func (svc *Service) SettleEnded(ctx context.Context) error {
	all, _, err := svc.Features()
	if err != nil {
		return err
	}
	var last *session.FeatureRecord
	for _, r := range all {
		if !r.Feature.Active() && (last == nil || endTime(r).After(endTime(last))) {
			last = r
		}
	}
	if last == nil {
		return nil
	}
	s, err := svc.stageOf(ctx, last)
	if err == nil {
		s.finishStatusFile(ctx)
	}
	return err
}

func endTime(r *session.FeatureRecord) time.Time { return r.Log.Entries[len(r.Log.Entries)-1].Time }

// tryFor returns the command that creates what the answer lacks.
func (s *Stage) tryFor(a phase.Answer) string {
	if a.Lacks == "" {
		return "belay feature list"
	}
	g := s.Rec.Feature.Of(a.Lacks)
	verb := "start"
	if g.Open() {
		verb = "done"
	}
	return belay.VisibleLine(fmt.Sprintf("belay phase %s %s%s", verb, a.Lacks, s.featureFlag()))
}

// FeatureViews returns the active features, or with every all of them, and the number of unreadable
// records. lines are all tasks.
func (svc *Service) FeatureViews(ctx context.Context, lines []TaskLine, every bool) (views []FeatureView, bad int, err error) {
	views = []FeatureView{}
	all, bad, err := svc.Features()
	if err != nil {
		return views, bad, err
	}
	counts := sumFeatures(lines)
	for _, r := range all {
		if !every && !r.Feature.Active() {
			continue
		}
		s, err := svc.stageOf(ctx, r)
		if err != nil {
			bad++
			continue
		}
		v := s.View()
		for _, f := range counts {
			if f.Feature == r.Feature.Name {
				v.Tasks, v.Open = f.Tasks, f.Open
			}
		}
		views = append(views, v)
	}
	return views, bad, nil
}

// AddPhases adds the phase and the next command of their active features to tasks, and also returns
// these features.
func (s *Service) AddPhases(ctx context.Context, lines []TaskLine) ([]TaskLine, []FeatureView) {
	views, _, err := s.FeatureViews(ctx, lines, false)
	if err != nil {
		return lines, nil
	}
	for i, l := range lines {
		for _, v := range views {
			if l.Feature == v.Name {
				lines[i].FeaturePhase, lines[i].FeatureNext = v.Summary(), v.Next.Command
			}
		}
	}
	return lines, views
}

// Summary describes the phase of a feature in a few words.
func (v FeatureView) Summary() string {
	switch {
	case v.Outcome != "":
		return v.Outcome
	case v.Phase == "":
		return "not begun"
	case v.Begun:
		return string(v.Phase)
	}
	return string(v.Phase) + " done"
}

// CheckResult returns the answer of Check, with the next step.
func (s *Stage) CheckResult(p phase.Phase) (PhaseResult, error) {
	a, err := s.Check(p)
	if err != nil {
		return PhaseResult{}, err
	}
	r := s.result(p, a, "checked")
	if !a.Allowed {
		return r, belay.Refuse(belay.CodeRefused, s.tryFor(a), "%s", a.Message)
	}
	return r, nil
}
