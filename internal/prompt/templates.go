package prompt

import (
	"embed"
	"fmt"
	"strings"
	"sync"
	"text/template"
	"time"

	"github.com/belay-dev/belay/internal/belay"
)

// Text from a repository, a test program or a model (diffs, findings, file names, a debugger's
// answer) is data. A prompt quotes it in a fence that it cannot close, and says that it is data. It
// passes belay.Visible, so that no escape sequence or hidden character reaches a terminal or a
// model. Only the person's task is passed on byte for byte.

//go:embed templates/*.tmpl
var templateFiles embed.FS

// templates parses the templates when the first one is needed: most commands need none.
var templates = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("brief").Funcs(template.FuncMap{
		"code":     Code,
		"codes":    Codes,
		"closing":  ClosingFence,
		"fence":    Block,
		"past":     PastBlock,
		"line":     belay.VisibleLine,
		"duration": Duration,
		"count":    belay.CountOf,
		"data":     quoteData,
		"join":     strings.Join,
		"request":  RequestText,
		"contract": contractText,
		"doubts":   doubtLines,
	}).ParseFS(templateFiles, "templates/*.tmpl"))
})

// render renders one template. Templates are part of the program, and tests render each of them: a
// failure is a bug here, not something that a caller can handle.
func render(name string, data any) string {
	var b strings.Builder
	if err := templates().ExecuteTemplate(&b, name, data); err != nil {
		panic(fmt.Sprintf("brief: template %s: %v", name, err))
	}
	return strings.Trim(b.String(), "\n")
}

// renderSections renders the named templates and puts a blank line between those that are not
// empty.
func renderSections(data any, names ...string) string {
	var parts []string
	for _, name := range names {
		if text := render(name, data); strings.TrimSpace(text) != "" {
			parts = append(parts, text)
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return strings.Join(parts, "\n\n") + "\n"
}

// Duration formats d without trailing zeros: 30m, 1h30m, 45s, 1.2s.
func Duration(d time.Duration) string {
	if d >= time.Minute {
		d = d.Round(time.Second)
	} else if d >= time.Second {
		d = d.Round(100 * time.Millisecond)
	} else {
		d = d.Round(time.Millisecond)
	}
	return belay.Duration(d)
}
