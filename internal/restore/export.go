package restore

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/belay-dev/belay/internal/belay"

	"github.com/belay-dev/belay/internal/fsroot"
	"github.com/belay-dev/belay/internal/scan"
	"github.com/belay-dev/belay/internal/snapshot"
)

// Export writes a snapshot's files, bytes and modes, into a folder that is empty or
// not there.
func Export(ctx context.Context, s *snapshot.Store, id belay.SnapshotID, dir string) error {
	i, err := s.LookUp(ctx, id)
	if err != nil {
		return err
	}
	m, err := s.Manifest(ctx, i)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("make %s: %w", dir, err)
	}
	if there, err := os.ReadDir(dir); err != nil || len(there) > 0 {
		return errors.Join(err, belay.Refuse(belay.CodeUsage, "use an empty folder", "%s is not empty", belay.VisibleLine(dir)))
	}
	entries, err := s.Files(ctx, i)
	if err != nil {
		return err
	}
	var p Plan
	for _, e := range entries {
		p.Writes = append(p.Writes, Write{Path: RawPath(e.Path), Mode: e.Mode, OID: e.OID, Perm: m.Perm(e.Path, e.Mode == 0o100755)})
	}
	root, err := fsroot.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	to := Place{Repo: s.Repo, Root: root, Tmp: dir}
	return to.WriteFiles(ctx, &p, &scan.Result{})
}
