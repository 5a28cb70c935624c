package forge

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/belay-dev/belay/internal/belay"
)

// Remark is a requested change of a pull request.
type Remark struct {
	ID   string `json:"id"` // unique within its pull request
	By   string `json:"by"`
	Path string `json:"path,omitempty"` // "" for the complete pull request
	Line int    `json:"line,omitempty"` // in the new text; 0 for the file, or if the line no longer exists
	Text string `json:"text"`
	URL  string `json:"url,omitempty"`
}

// Remarks are the remarks on a pull request, and the number of those left out.
type Remarks struct {
	List     []Remark
	Others   int    // by people who may not write to the repository
	Resolved int    // resolved comments
	Unsure   string // why resolved comments may be among the remarks; "" if they are not
}

// Remarks returns comments on lines and the texts of reviews that neither approve nor are
// dismissed, without resolved comments. It returns only those of people who may write to the
// repository: anybody can comment on a public repository, and could give an agent orders.
func (c *Client) Remarks(ctx context.Context, number int) (Remarks, error) {
	h := &remarkReader{client: c, ctx: ctx, mayWrite: map[string]bool{}}
	var err error
	switch c.Kind {
	case GitHub:
		err = h.github(number)
	case GitLab:
		err = h.gitlab(number)
	default:
		err = h.gitea(number)
	}
	return h.Remarks, err
}

// remarkReader collects remarks.
type remarkReader struct {
	Remarks
	client   *Client
	ctx      context.Context
	mayWrite map[string]bool // answers so far, by person
}

// add adds a remark of somebody who may write, counts others and resolved ones, and skips belay's
// own comments.
func (h *remarkReader) add(r Remark, may, resolved bool) {
	r.Text = strings.TrimSpace(strings.ReplaceAll(r.Text, "\r\n", "\n"))
	switch {
	case r.Text == "" || strings.HasPrefix(r.Text, "<!-- belay:"):
	case resolved:
		h.Resolved++
	case may:
		h.List = append(h.List, r)
	default:
		h.Others++
	}
}

// person is an account on a forge.
type person struct {
	ID       int64  `json:"id"`
	Login    string `json:"login"`
	Username string `json:"username"`
	Type     string `json:"type"` // User or Bot, on GitHub
}

// written is a comment or a review of GitHub and Gitea.
type written struct {
	author            // User is nil if the account was deleted
	ID        int64   `json:"id"`
	Body      string  `json:"body"`
	State     string  `json:"state"`
	HTML      string  `json:"html_url"`
	Path      string  `json:"path"`
	Line      int     `json:"line"`
	Position  int     `json:"position"` // Gitea's line
	Dismissed bool    `json:"dismissed"`
	Resolver  *person `json:"resolver"`
	Review    int64   `json:"pull_request_review_id"` // of a comment on GitHub
	ReplyTo   int64   `json:"in_reply_to_id"`         // the first comment of its thread, likewise
}

func (w written) by() string {
	if w.User == nil {
		return ""
	}
	return w.User.Login
}

// asks reports whether a review may ask for a change: it is neither an approval, nor dismissed, nor
// still a draft.
func (w written) asks() bool {
	switch strings.ToUpper(w.State) {
	case "CHANGES_REQUESTED", "REQUEST_CHANGES", "COMMENTED", "COMMENT":
		return !w.Dismissed
	}
	return false
}

func (h *remarkReader) github(number int) error {
	at := fmt.Sprintf("%s/%d", h.client.pulls(), number)
	reviews, err := pages[written](h.ctx, h.client, at+"/reviews")
	if err != nil {
		return err
	}
	silent := map[int64]bool{}
	for _, w := range reviews {
		if silent[w.ID] = !w.asks(); w.asks() {
			h.add(Remark{ID: fmt.Sprintf("review %d", w.ID), By: w.by(), Text: w.Body, URL: w.HTML}, w.mayWrite(), false)
		}
	}
	comments, err := pages[written](h.ctx, h.client, at+"/comments")
	if err != nil || len(comments) == 0 {
		return err
	}
	resolved, err := h.resolvedThreads(number)
	for _, w := range comments {
		if silent[w.Review] {
			continue
		}
		h.add(Remark{ID: fmt.Sprintf("comment %d", w.ID), By: w.by(), Path: w.Path, Line: w.Line, Text: w.Body, URL: w.HTML}, w.mayWrite(),
			resolved[w.ID] || resolved[w.ReplyTo])
	}
	return err
}

// graphqlPath is the only path that belay uses of GitHub's GraphQL API.
const graphqlPath = "/graphql"

// threadsQuery asks for addresses, because database IDs exceed the numbers of GraphQL.
const threadsQuery = `query($owner: String!, $name: String!, $number: Int!, $after: String) {
  repository(owner: $owner, name: $name) { pullRequest(number: $number) { reviewThreads(first: 100, after: $after) {
    pageInfo { hasNextPage endCursor } nodes { isResolved comments(first: 100) { nodes { url } } } } } } }`

// resolvedThreads returns the IDs of the comments in resolved threads on GitHub, of which its REST
// API says nothing. If GitHub refuses to say, or there are too many, it sets Unsure.
func (h *remarkReader) resolvedThreads(number int) (map[int64]bool, error) {
	owner, name, _ := strings.Cut(h.client.Path, "/")
	resolved := map[int64]bool{}
	var after *string
	for range mostPages {
		var answer struct {
			Data struct {
				Repository struct {
					PullRequest struct {
						ReviewThreads struct {
							PageInfo struct {
								HasNextPage bool
								EndCursor   string
							}
							Nodes []struct {
								IsResolved bool
								Comments   struct{ Nodes []struct{ URL string } }
							}
						}
					}
				}
			}
			Errors []struct{ Message string }
		}
		_, err := h.client.call(h.ctx, http.MethodPost, graphqlPath, map[string]any{"query": threadsQuery,
			"variables": map[string]any{"owner": owner, "name": name, "number": number, "after": after}}, &answer)
		var refused *statusError
		switch {
		case errors.As(err, &refused) && refused.status < 500 && belay.CodeOf(err) != belay.CodeBusy:
			answer.Errors = append(answer.Errors, struct{ Message string }{cmp.Or(refused.says, fmt.Sprintf("status %d", refused.status))})
		case err != nil:
			return nil, err
		}
		threads := answer.Data.Repository.PullRequest.ReviewThreads
		for _, t := range threads.Nodes {
			for _, one := range t.Comments.Nodes {
				_, id, _ := strings.Cut(one.URL, "#discussion_r")
				if n, err := strconv.ParseInt(id, 10, 64); err == nil && t.IsResolved {
					resolved[n] = true
				}
			}
		}
		if len(answer.Errors) > 0 {
			h.Unsure = fmt.Sprintf("GraphQL of %s: %s", belay.VisibleLine(h.client.Host),
				belay.Clip(belay.VisibleLine(answer.Errors[0].Message), mostSaying))
		}
		if after = &threads.PageInfo.EndCursor; !threads.PageInfo.HasNextPage {
			return resolved, nil
		}
	}
	h.Unsure = fmt.Sprintf("GraphQL of %s: more than %d threads", belay.VisibleLine(h.client.Host), 100*mostPages)
	return resolved, nil
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
			if n.System || !n.Resolvable {
				continue // events, discussion
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
				return member.Level >= 30, err // developer or higher
			})
			if err != nil {
				return err
			}
			h.add(r, may, n.Resolved)
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
		h.add(Remark{ID: fmt.Sprintf("review %d", w.ID), By: w.by(), Text: w.Body, URL: w.HTML}, ok, false)
		comments, err := pages[written](h.ctx, h.client, fmt.Sprintf("%s/%d/comments", at, w.ID))
		if err != nil {
			return err
		}
		for _, one := range comments {
			h.add(Remark{ID: fmt.Sprintf("comment %d", one.ID), By: w.by(), Path: one.Path, Line: one.Position, Text: one.Body,
				URL: one.HTML}, ok, one.Resolver != nil)
		}
	}
	return nil
}

// may reports whether a person may write, and caches the answer. An unknown person may not.
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
		may, err = false, nil // without permission to ask, nobody's remarks count
	}
	h.mayWrite[name] = may
	return may, err
}

// Why returns the summary of a failed GitHub check, with up to 20 of its annotations; "" if it has
// none.
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
		if a.Path != "" && a.Path != ".github" { // GitHub's path for annotations without a file
			line = fmt.Sprintf("%s:%d: %s", a.Path, a.Line, line)
		}
		text += "\n" + line
	}
	return strings.TrimSpace(belay.Clip(text, 8000)), nil
}
