package result

import (
	"strings"

	"github.com/belay-dev/belay/internal/review/spot"
	"github.com/belay-dev/belay/internal/review/talk"
	"github.com/belay-dev/belay/internal/review/token"
)

// Row is what the cells of a table's row say.
type Row struct {
	Text     string // the cells that are prose
	Severity talk.Severity
	Off      string // why it is nothing to change: resolved, wontfix
}

var lineColumns = map[string]bool{"l": true, "ln": true, "zeile": true, "zeilen": true, "línea": true, "líneas": true, "ligne": true, "lignes": true, "linha": true, "linhas": true, "行": true, "行号": true, "行番号": true}

var statusColumns = map[string]bool{"state": true, "resolved": true, "done": true, "fixed": true, "verdict": true, "decision": true, "outcome": true, "disposition": true, "action": true, "estado": true, "statut": true, "状態": true, "状态": true, "resolution": true}

// ReadRow reads a row under the names of its columns, in lower case.
func ReadRow(rd *spot.Reader, head, cells []string) Row {
	var r Row
	var text []string
	lines := ""
	for k, cell := range cells {
		name := ""
		if k < len(head) {
			name = head[k]
		}
		switch {
		case severityColumn(name):
			if n := strings.TrimSpace(cell); len(n) == 1 && n >= "1" && n <= "4" && strings.HasPrefix(name, "sev") { // the level alone
				cell = "S" + n
			}
			if sev := talk.Headed(token.Scan(rd, cell)); sev != "" {
				r.Severity = sev
			}
		case strings.HasPrefix(name, "line") || lineColumns[name]:
			if toks := token.Scan(rd, cell); len(toks) > 0 && (toks[0].Kind == 'n' || toks[0].Kind == 'L') {
				lines = "lines " + cell
			}
		case strings.HasPrefix(name, "status") || statusColumns[name]:
			if r.Off = statusOf(rd, cell); r.Off == "" {
				text = append(text, cell)
			}
		default:
			text = append(text, cell)
		}
	}
	for k := 0; k < len(text) && lines != ""; k++ {
		for _, t := range token.Scan(rd, text[k]) {
			if t.M != nil && lines != "" {
				text[k] += " " + lines
				lines = ""
			}
		}
	}
	r.Text = strings.Join(text, " – ")
	return r
}

// statusOf tells why a status says that nothing is to change, or "".
func statusOf(rd *spot.Reader, cell string) string {
	toks := token.Scan(rd, cell)
	c := talk.Clause{B: len(toks)}
	talk.Weigh(toks, &c, false)
	if c.Neg == "" && cell != "" && strings.Contains("|yes|x|✓|✔|✅|ok|pass|passed|", "|"+strings.ToLower(cell)+"|") {
		return "settled"
	}
	return c.Neg
}

func severityColumn(head string) bool {
	for w := range talk.Ranked {
		if head == w {
			return true
		}
	}
	return head == "sev." || head == "p" || head == "label" || head == "class"
}
