package web

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"html/template"
	"sync"
	"time"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/lazyregexp"
)

// Parts of a page that are useless in a file: forms, lists of pages, and links, except for their
// text. The tags are found by patterns, which is safe because text from elsewhere is escaped.
var (
	interactivePart = lazyregexp.New(`(?s)<form\b.*?</form>|<nav\b.*?</nav>|<p class="crumb">.*?</p>|<span class="links">.*?</span>`)
	linkTag         = lazyregexp.New(`<(/?)a\b[^>]*>`)
)

// exportPage is a complete document. It loads nothing and has no script.
var exportPage = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("export").Funcs(templateFunctions).Parse(`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'sha256-{{.Hash}}'">
<title>{{text .Title}} · {{text .Repo}} · belay</title><style>{{.Style}}</style></head>
<body><header class="top"><div class="bar"><span class="brand">belay</span><span class="repo">{{text .Repo}}</span></div></header>
<main>{{range .Parts}}{{.}}{{end}}</main>
<footer class="foot">Written by belay {{.Version}} on {{when .Time}}</footer></body></html>
`))
})

// export writes a task as one file that needs no server: its page, its changes up to the limit of a
// page, and its record with the verification.
func (q *request) export(id belay.TaskID) error {
	var parts []template.HTML
	var broken error // errors of the pages
	title := ""
	q.capture = func(page string, v view) {
		if title == "" {
			title = v.Title
		}
		var text bytes.Buffer
		if err := pages()[page].ExecuteTemplate(&text, "content", v); err != nil {
			broken = errors.Join(broken, err)
			return
		}
		part := linkTag.ReplaceAllString(interactivePart.ReplaceAllString(text.String(), ""), "<${1}span>")
		parts = append(parts, template.HTML(part)) //nolint:gosec // made by the pages' own templates
	}
	if err := q.ParseForm(); err != nil {
		return err
	}
	defer func() { q.capture = nil }() // errors are shown in the browser
	if err := q.task(id); err != nil {
		return err
	}
	q.Form.Set("from", string(id)) // input of diff
	if err := q.diff(); err != nil && belay.CodeOf(err) != belay.CodeCannot && belay.CodeOf(err) != belay.CodeNotFound {
		return err // a task that has not started has no changes
	}
	if err := errors.Join(q.record(id), broken); err != nil {
		return err
	}
	style, err := staticFiles.ReadFile("static/style.css")
	if err != nil {
		return err
	}
	sum := sha256.Sum256(style)
	h := q.w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Disposition", fmt.Sprintf(`attachment; filename="belay-%s.html"`, id))
	return exportPage().Execute(q.w, struct {
		Title, Repo, Version, Hash string
		Style                      template.CSS
		Parts                      []template.HTML
		Time                       time.Time
	}{title, q.repo.Name, q.s.Version, base64.StdEncoding.EncodeToString(sum[:]),
		template.CSS(style), parts, time.Now()}) //nolint:gosec // belay's own
}
