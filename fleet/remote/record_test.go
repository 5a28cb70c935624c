package remote_test

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/belay-dev/belay/internal/journal"
	"github.com/belay-dev/belay/internal/testutil"
)

// BenchmarkRecord pushes one more entry of a record with 10,000 entries of about 600 bytes, and 300
// attachments.
func BenchmarkRecord(b *testing.B) {
	s := testutil.NewSandbox(b)
	testutil.Base(s)
	p := newSite(s, filepath.Join(s.Up, "remote.git"))
	var shas []string
	for i := range 300 {
		sha, _, err := p.svc.Session.Journal.Attach(strings.NewReader(fmt.Sprint(i)))
		s.Ok(err)
		shas = append(shas, sha)
	}
	log := p.rec.Log
	for i := len(log.Entries); i < 10_000; i++ {
		l := journal.Line{Task: "T1", Entry: journal.Entry{Seq: i + 1, Time: time.Unix(1900000000, 0).UTC(), Type: "note", Prev: log.Head.Hash,
			Data: fmt.Appendf(nil, `{"kind":"worker","text":"%s %s"}`, shas[i%300], strings.Repeat(fmt.Sprint(i, " "), 60))}}
		_, err := journal.Make(&l)
		s.Ok(err)
		log.Entries, log.Head = append(log.Entries, l.Entry), l.Head()
	}
	s.Ok(p.svc.Session.Journal.Replace(context.Background(), log))
	p.load()
	s.Ok(p.push())
	for b.Loop() {
		b.StopTimer()
		p.take()
		b.StartTimer()
		s.Ok(p.push())
	}
}
