package web

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"slices"
	"time"

	"github.com/belay-dev/belay/internal/app"
	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/snapshot"
)

// age is a choice for the age of snapshots to delete. Flag is the value for belay snapshot prune.
type age struct {
	Flag, Word string
	is         time.Duration
}

const day = 24 * time.Hour

var ages = []age{{"24h", "a day", day}, {"7d", "a week", 7 * day}, {"30d", "30 days", 30 * day}, {"90d", "90 days", 90 * day}}

// pruneable lists what a prune would delete.
type pruneable struct {
	app.Pruned
	Ages    []age
	Age     age
	List    []snapshot.Info // one page of the snapshots to delete
	Paging  paging
	Seen    string
	Changed bool
	Without int    // number of kept snapshots of tasks without a record
	Limit   string // the config's limit on the disk space of snapshots
	Size    string
}

func (q *request) pruneable() (p pruneable, err error) {
	p.Ages = q.s.ages
	i := slices.IndexFunc(p.Ages, func(a age) bool { return a.Flag == cmp.Or(q.FormValue("age"), "7d") })
	if i < 0 {
		return p, belay.Refuse(belay.CodeUsage, "choose one of the ages on the page", "%q is not an age that can be chosen here",
			q.FormValue("age"))
	}
	p.Age = p.Ages[i]
	if p.Pruned, err = q.svc.Prune(q.Context(), app.PruneRequest{OlderThan: p.Age.is, DryRun: true}); err != nil {
		return p, err
	}
	for _, n := range p.Unrecorded {
		p.Without += n
	}
	sum := sha256.New()
	_ = json.NewEncoder(sum).Encode(p.Dropped) // cannot fail for a hash
	p.Seen = hex.EncodeToString(sum.Sum(nil)[:16])
	return p, nil
}

// prune shows which snapshots a prune would delete.
func (q *request) prune() error {
	p, err := q.pruneable()
	if err != nil {
		return err
	}
	return q.showPrune(p, false)
}

func (q *request) showPrune(p pruneable, changed bool) error {
	all, _, err := q.svc.Session.Snaps.ListAll(q.Context())
	if err != nil {
		return err
	}
	all = slices.DeleteFunc(all, func(i snapshot.Info) bool { return !slices.Contains(p.Dropped, i.ID) })
	p.List, p.Paging = pageOf(q, all)
	usage, err := q.svc.Session.Snaps.Usage(q.Context())
	if err != nil {
		return err
	}
	p.Size, p.Changed = belay.RoundSize(usage.Bytes), changed
	if most := q.svc.Session.Config.Snapshot.Cap; most > 0 {
		p.Limit = belay.Size(most)
	}
	return q.write(map[bool]int{false: http.StatusOK, true: http.StatusConflict}[changed], "prune", "Delete old snapshots", p)
}

// runPrune runs the terminal's command. If it would delete other snapshots than the preview showed,
// it shows a new preview.
func (q *request) runPrune() error {
	p, err := q.pruneable()
	if err != nil {
		return err
	}
	if q.PostFormValue("seen") != p.Seen {
		return q.showPrune(p, true)
	}
	if err := q.s.Act(q.Context(), q.repo.Root, nil, "snapshot", "prune", "--older-than="+p.Age.Flag); err != nil {
		return err
	}
	return q.redirect(q.address("snapshots?done=prune"))
}
