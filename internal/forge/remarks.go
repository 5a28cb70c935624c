package forge

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/belay-dev/belay/internal/belay"
)

// Remark is what somebody wants changed on a pull request.
type Remark struct {
	ID   string `json:"id"` // unique on its pull request
	By   string `json:"by"`
	Path string `json:"path,omitempty"` // "" for the pull request as a whole
	Line int    `json:"line,omitempty"` // of the new text; 0 for the file, or where the line is gone
	Text string `json:"text"`
	URL  string `json:"url,omitempty"`
}

// Remarks gives what people remarked on a pull request: comments on lines, and the words of reviews, unless they are
// resolved, dismissed or approve. Only people who may write to the repository are heard: whoever else comments, which on a
// public one is anybody, could give an agent orders. Of those remarks only the number is given.
func (c *Client) Remarks(ctx context.Context, number int) (list []Remark, others int, err error) {
	h := &remarkReader{client: c, ctx: ctx, mayWrite: map[string]bool{}}
	switch c.Kind {
	case GitHub:
		err = h.github(number)
	case GitLab:
		err = h.gitlab(number)
	default:
		err = h.gitea(number)
	}
	return h.list, h.others, err
}

// remarkReader collects remarks.
type remarkReader struct {
	client   *Client
	ctx      context.Context
	mayWrite map[string]bool // people who were asked about
	list     []Remark
	others   int
}

// add takes a remark of somebody who may write, and counts others. What belay wrote itself is none.
func (h *remarkReader) add(r Remark, may bool) {
	r.Text = strings.TrimSpace(strings.ReplaceAll(r.Text, "\r\n", "\n"))
	switch {
	case r.Text == "" || strings.HasPrefix(r.Text, "<!-- belay:"):
	case may:
		h.list = append(h.list, r)
	default:
		h.others++
	}
}

// person is an account of a forge.
type person struct {
	ID       int64  `json:"id"`
	Login    string `json:"login"`
	Username string `json:"username"`
}

// written is a comment or a review of GitHub and Gitea.
type written struct {
	ID        int64   `json:"id"`
	User      *person `json:"user"` // nil: the account is gone
	Body      string  `json:"body"`
	State     string  `json:"state"`
	HTML      string  `json:"html_url"`
	Is        string  `json:"author_association"`
	Path      string  `json:"path"`
	Line      int     `json:"line"`
	Position  int     `json:"position"` // Gitea's line
	Dismissed bool    `json:"dismissed"`
	Resolver  *person `json:"resolver"`
}

func (w written) by() string {
	if w.User == nil {
		return ""
	}
	return w.User.Login
}

// asks reports whether a review asks for something: it is neither an approval nor one that is not sent yet.
func (w written) asks() bool {
	switch strings.ToUpper(w.State) {
	case "CHANGES_REQUESTED", "REQUEST_CHANGES", "COMMENTED", "COMMENT":
		return !w.Dismissed
	}
	return false
}

func (h *remarkReader) github(number int) error {
	at := fmt.Sprintf("%s/%d", h.client.pulls(), number)
	may := func(w written) bool { return w.Is == "OWNER" || w.Is == "MEMBER" || w.Is == "COLLABORATOR" }
	reviews, err := pages[written](h.ctx, h.client, at+"/reviews")
	if err != nil {
		return err
	}
	for _, w := range reviews {
		if w.asks() {
			h.add(Remark{ID: fmt.Sprintf("review %d", w.ID), By: w.by(), Text: w.Body, URL: w.HTML}, may(w))
		}
	}
	comments, err := pages[written](h.ctx, h.client, at+"/comments")
	for _, w := range comments {
		h.add(Remark{ID: fmt.Sprintf("comment %d", w.ID), By: w.by(), Path: w.Path, Line: w.Line, Text: w.Body, URL: w.HTML}, may(w))
	}
	return err
}

func (h *remarkReader) gitlab(number int) error {
	type note struct {
		ID         int64  `json:"id"`
		Body       string `json:"body"`
		Author     person `json:"author"`
		System     bool   `json:"system"`
		Resolvable bool   `json:"resolvable"`
		Resolved   bool   `json:"resolved"`
		Position   *struct {
			Path string `json:"new_path"`
			Line int    `json:"new_line"`
		} `json:"position"`
	}
	threads, err := pages[struct {
		Notes []note `json:"notes"`
	}](h.ctx, h.client, fmt.Sprintf("%s/%d/discussions", h.client.pulls(), number))
	if err != nil {
		return err
	}
	for _, t := range threads {
		for _, n := range t.Notes {
			if n.System || !n.Resolvable || n.Resolved {
				continue // events, talk, what is done
			}
			r := Remark{ID: fmt.Sprintf("note %d", n.ID), By: n.Author.Username, Text: n.Body}
			if n.Position != nil {
				r.Path, r.Line = n.Position.Path, n.Position.Line
			}
			may, err := h.may(strconv.FormatInt(n.Author.ID, 10), func(name string) (bool, error) {
				var member struct {
					Level int `json:"access_level"`
				}
				_, err := h.client.call(h.ctx, http.MethodGet, h.client.repo()+"/members/all/"+name, nil, &member)
				return member.Level >= 30, err // a developer
			})
			if err != nil {
				return err
			}
			h.add(r, may)
		}
	}
	return nil
}

func (h *remarkReader) gitea(number int) error {
	at := fmt.Sprintf("%s/%d/reviews", h.client.pulls(), number)
	reviews, err := pages[written](h.ctx, h.client, at)
	if err != nil {
		return err
	}
	may := func(w written) (bool, error) {
		return h.may(w.by(), func(name string) (bool, error) {
			var is struct {
				Permission string `json:"permission"`
			}
			_, err := h.client.call(h.ctx, http.MethodGet, h.client.repo()+"/collaborators/"+url.PathEscape(name)+"/permission", nil, &is)
			return is.Permission == "write" || is.Permission == "admin" || is.Permission == "owner", err
		})
	}
	for _, w := range reviews {
		if !w.asks() {
			continue
		}
		ok, err := may(w)
		if err != nil {
			return err
		}
		h.add(Remark{ID: fmt.Sprintf("review %d", w.ID), By: w.by(), Text: w.Body, URL: w.HTML}, ok)
		comments, err := pages[written](h.ctx, h.client, fmt.Sprintf("%s/%d/comments", at, w.ID))
		if err != nil {
			return err
		}
		for _, one := range comments {
			if one.Resolver == nil {
				h.add(Remark{ID: fmt.Sprintf("comment %d", one.ID), By: w.by(), Path: one.Path, Line: one.Position, Text: one.Body,
					URL: one.HTML}, ok)
			}
		}
	}
	return nil
}

// may remembers what was answered about a person. Somebody the forge does not know may nothing.
func (h *remarkReader) may(name string, ask func(string) (bool, error)) (bool, error) {
	if name == "" {
		return false, nil
	}
	may, known := h.mayWrite[name]
	if known {
		return may, nil
	}
	may, err := ask(name)
	if s := status(err); s == http.StatusNotFound || s == http.StatusForbidden {
		may, err = false, nil // a token that may not ask hears nobody
	}
	h.mayWrite[name] = may
	return may, err
}

// Why is what a check of GitHub says of its failure, "" where it says nothing: its own summary, and up to 20 places.
func (c *Client) Why(ctx context.Context, check Check) (string, error) {
	if check.id == 0 {
		return check.says, nil
	}
	text := check.says
	list, err := pages[struct {
		Path  string `json:"path"`
		Line  int    `json:"start_line"`
		Level string `json:"annotation_level"`
		Title string `json:"title"`
		Text  string `json:"message"`
	}](ctx, c, fmt.Sprintf("%s/check-runs/%d/annotations", c.repo(), check.id))
	if err != nil {
		return text, err
	}
	n := 0
	for _, a := range list {
		if a.Level != "failure" {
			continue
		}
		if n++; n > 20 {
			text += "\nand more"
			break
		}
		line := strings.TrimSpace(strings.TrimSpace(a.Title) + " " + strings.TrimSpace(a.Text))
		if a.Path != "" && a.Path != ".github" { // which GitHub puts where no file is meant
			line = fmt.Sprintf("%s:%d: %s", a.Path, a.Line, line)
		}
		text += "\n" + line
	}
	return strings.TrimSpace(belay.Clip(text, 8000)), nil
}
