package git

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"path/filepath"
	"slices"

	"github.com/belay-dev/belay/internal/fsroot"
)

// joinRecord records which packs were joined into one: everything that was sound in them is sound
// in it. Without it, each worktree would look up all its objects again after each join.
type joinRecord struct {
	Version int      `json:"v"` // 1
	Pack    Pack     `json:"pack"`
	From    []string `json:"of"` // paths, as in Pack
}

// maxJoinRecords is the number of records that are kept. A worktree without a snapshot for that
// long looks up all its objects again.
const maxJoinRecords = 50

func joinRecordsPath(r *Repo) string { return filepath.Join(r.Common, "belay", "packs.joined") }

// readJoinRecords returns the records that can be read, oldest first.
func readJoinRecords(r *Repo) []joinRecord {
	list := []joinRecord{}
	text, err := fsroot.ReadFile(joinRecordsPath(r), fsroot.MaxSmallFile)
	if err != nil {
		return list
	}
	for line := range bytes.Lines(text) {
		var j joinRecord
		if json.Unmarshal(line, &j) == nil && j.Version == 1 {
			list = append(list, j)
		}
	}
	return list
}

// joinedPack returns the pack that contains everything of a deleted one.
func joinedPack(p Pack, list []joinRecord) (Pack, error) {
	err := error(fs.ErrNotExist)
	for _, j := range list { // a joined pack may have been joined again
		if slices.Contains(j.From, p.Path) {
			p, err = j.Pack, nil
		}
	}
	return p, err
}

// recordJoin records a join, before the old packs are deleted.
func (s *Packs) recordJoin(into string, of []ownPack) error {
	p, err := statPack(s.Repo, into)
	if err != nil {
		return err
	}
	j := joinRecord{Version: 1, Pack: p}
	for _, o := range of {
		if o.path != into {
			j.From = append(j.From, relativePackPath(s.Repo, o.path))
		}
	}
	list := append(readJoinRecords(s.Repo), j)
	var b bytes.Buffer
	for _, j := range list[max(0, len(list)-maxJoinRecords):] {
		line, err := json.Marshal(j)
		if err != nil {
			return err
		}
		b.Write(append(line, '\n'))
	}
	return fsroot.AtomicWrite(joinRecordsPath(s.Repo), fsroot.AtomicOptions{Step: fsroot.Step}, b.Bytes())
}
