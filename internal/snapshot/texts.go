package snapshot

import (
	"context"
	"fmt"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/git"
)

// Texts calls take for each of the paths, which differ between two snapshots, with what
// the file holds in each: nil where it is not there or no regular file. A file that has
// more than most bytes in one of them is given as larger, without what it holds. It stops
// at the first error of take. A path that does not differ is left out.
func (s *Store) Texts(ctx context.Context, from, to belay.SnapshotID, paths []string, most int64,
	take func(path string, before, after []byte, larger bool) error) error {
	if len(paths) == 0 {
		return nil
	}
	a, b, err := s.trees(ctx, from, to)
	if err != nil || a == b {
		return err
	}
	list, err := s.Repo.DiffTrees(ctx, a, b)
	if err != nil {
		return err
	}
	wanted := map[string]bool{}
	for _, p := range paths {
		wanted[p] = true
	}
	var differences []git.Difference
	var oids []string
	for _, d := range list {
		if wanted[d.Path] {
			differences = append(differences, d)
			oids = append(oids, regularOID(d.OldMode, d.OldOID), regularOID(d.NewMode, d.NewOID))
		}
	}
	return s.readTexts(ctx, differences, oids, most, take)
}

// regularOID is an object's name if it is a regular file's, else "".
func regularOID(mode uint32, oid string) string {
	if mode&0o170000 != 0o100000 {
		return ""
	}
	return oid
}

// readTexts reads pairs of objects: oids[2i] and oids[2i+1] are differences[i]'s.
func (s *Store) readTexts(ctx context.Context, differences []git.Difference, oids []string, most int64,
	take func(string, []byte, []byte, bool) error) error {
	sizes, err := s.sizes(ctx, oids)
	if err != nil {
		return err
	}
	rd, err := s.Repo.Reader(ctx)
	if err != nil {
		return err
	}
	defer rd.Close()
	for i, d := range differences {
		var texts [2][]byte
		larger := sizes[oids[2*i]] > most || sizes[oids[2*i+1]] > most
		for side, oid := range oids[2*i : 2*i+2] {
			if oid == "" || larger {
				continue
			}
			o, err := rd.Read(oid)
			if err != nil {
				return fmt.Errorf("read %s: %w", belay.VisibleLine(d.Path), err)
			}
			texts[side] = append([]byte{}, o.Data...) // an empty file is there
		}
		if err := take(d.Path, texts[0], texts[1], larger); err != nil {
			return err
		}
	}
	return nil
}

func (s *Store) sizes(ctx context.Context, oids []string) (map[string]int64, error) {
	out := map[string]int64{}
	var ask []string
	for _, oid := range oids {
		if _, known := out[oid]; oid != "" && !known {
			out[oid] = 0
			ask = append(ask, oid)
		}
	}
	if len(ask) == 0 {
		return out, nil
	}
	sizes, err := s.Repo.Sizes(ctx, ask)
	if err != nil {
		return nil, err
	}
	for i, oid := range ask {
		out[oid] = sizes[i]
	}
	return out, nil
}

// Paths lists the files of a snapshot.
func (s *Store) Paths(ctx context.Context, id belay.SnapshotID) ([]string, error) {
	i, err := s.LookUp(ctx, id)
	if err != nil {
		return nil, err
	}
	entries, err := s.files(ctx, i)
	if err != nil {
		return nil, err
	}
	paths := make([]string, len(entries))
	for n, e := range entries {
		paths[n] = e.Path
	}
	return paths, nil
}
