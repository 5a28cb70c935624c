package git

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"path/filepath"
	"slices"

	"github.com/belay-dev/belay/internal/fsroot"
)

// joining says which packs became one: everything that was sound in them is sound in it.
// Without that, each working tree would look for all its objects again after each joining.
type joining struct {
	V    int      `json:"v"` // 1
	Pack Pack     `json:"pack"`
	Of   []string `json:"of"` // paths, as in Pack
}

// fewJoinings is how many are remembered. Who took no snapshot for so long looks for all
// objects again.
const fewJoinings = 50

func joinedPath(r *Repo) string { return filepath.Join(r.Common, "belay", "packs.joined") }

// readJoined returns what can be read of them, oldest first.
func readJoined(r *Repo) []joining {
	list := []joining{}
	text, err := fsroot.ReadFile(joinedPath(r), fsroot.Usual)
	if err != nil {
		return list
	}
	for line := range bytes.Lines(text) {
		var j joining
		if json.Unmarshal(line, &j) == nil && j.V == 1 {
			list = append(list, j)
		}
	}
	return list
}

// became returns the pack that has everything of one that is gone.
func became(p Pack, list []joining) (Pack, error) {
	err := error(fs.ErrNotExist)
	for _, j := range list { // one that was joined may have been joined again
		if slices.Contains(j.Of, p.Path) {
			p, err = j.Pack, nil
		}
	}
	return p, err
}

// noteJoined remembers a joining, before the packs that it is of go.
func (s *Packs) noteJoined(into string, of []ownPack) error {
	p, err := lookAt(s.Repo, into)
	if err != nil {
		return err
	}
	j := joining{V: 1, Pack: p}
	for _, o := range of {
		if o.path != into {
			j.Of = append(j.Of, packPlace(s.Repo, o.path))
		}
	}
	list := append(readJoined(s.Repo), j)
	var b bytes.Buffer
	for _, j := range list[max(0, len(list)-fewJoinings):] {
		line, err := json.Marshal(j)
		if err != nil {
			return err
		}
		b.Write(append(line, '\n'))
	}
	return fsroot.AtomicWrite(joinedPath(s.Repo), fsroot.Atomic{Step: fsroot.Step}, b.Bytes())
}
