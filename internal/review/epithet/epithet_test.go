package epithet

import (
	"slices"
	"testing"

	"github.com/belay-dev/belay/internal/review/names"
	"github.com/belay-dev/belay/internal/review/spot"
	"github.com/belay-dev/belay/internal/review/token"
)

func TestFind(t *testing.T) {
	files := []string{"routers/orders.py", "routers/users.py", "auth/handler.go", "billing/handler.go", "db/a.sql", "db/b.sql", "src/auth.guard.ts", "api/Dockerfile", "web/Dockerfile"}
	for text, want := range map[string][]string{
		"the orders router is slow":        {"routers/orders.py"},
		"our guard is slow":                nil,
		"auth guard: no scope":             {"src/auth.guard.ts"},
		"the handler.go in billing leaks":  {"billing/handler.go"},
		"billing's handler.go leaks":       {"billing/handler.go"},
		"handler.go leaks":                 {"auth/handler.go", "billing/handler.go"},
		"all SQL files lack a semicolon":   {"db/a.sql", "db/b.sql"},
		"every Dockerfile runs as root":    {"api/Dockerfile", "web/Dockerfile"},
		"all errors are lost":              nil,
		"each of the SQL files is too big": {"db/a.sql", "db/b.sql"},
	} {
		rd := spot.NewReader(names.New(files))
		toks := token.Scan(rd, text)
		Find(rd, toks)
		var got []string
		for _, tok := range toks {
			if tok.M != nil {
				got = append(append(got, tok.M.Cands...), tok.M.Set...)
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
