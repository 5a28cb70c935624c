package restore

import (
	"context"

	"github.com/belay-dev/belay/internal/belay"
)

// Check returns an error if a plan must not be carried out, before the first write: something would
// be destroyed (CodeCannot), the bytes of a file are missing, or the disk is too full.
func (pl *Planner) Check(ctx context.Context) error {
	if len(pl.Plan.Blocked) > 0 {
		first := pl.Plan.Blocked[0]
		return belay.Refuse(belay.CodeCannot, "move it away, or restore other paths with -- PATH…",
			"the restore would have to destroy %s: %s", belay.VisibleLine(first.Path), first.Reason)
	}
	return pl.checkSpace(ctx)
}

func (pl *Planner) checkSpace(ctx context.Context) error {
	var oids []string
	for _, w := range pl.Plan.Writes {
		oids = append(oids, w.OID)
	}
	sizes, err := pl.repo.Sizes(ctx, oids)
	if err != nil {
		return err
	}
	var need int64 = 1 << 20
	for i, n := range sizes {
		if n < 0 {
			return belay.Refuse(belay.CodeCannot, "belay doctor", "the content of %s is missing from the repository",
				belay.VisibleLine(string(pl.Plan.Writes[i].Path)))
		}
		need += n
	}
	free, known := freeSpace(pl.repo.Root)
	if known && free < need {
		return belay.Refuse(belay.CodeCannot, "free some space and try again",
			"the disk is full: the restore needs %d MiB and %d are free", need>>20, free>>20)
	}
	return nil
}
