package forge

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/belay-dev/belay/internal/belay"
)

// States of a pull request.
const (
	StateOpen   = "open"
	StateClosed = "closed" // not merged
	StateMerged = "merged"
)

// Pull is a pull request or merge request.
type Pull struct {
	Number int    `json:"number"`
	URL    string `json:"url"`
	State  string `json:"state"`
	Title  string `json:"title"`
	Base   string `json:"base"`

	body string
}

// BodyLimit is the maximum number of characters in the text of a pull request.
func (p Place) BodyLimit() int {
	if p.Kind == GitLab {
		return 1 << 20
	}
	return 65536
}

// repo returns the API path of the repository.
func (c *Client) repo() string {
	if c.Kind == GitLab {
		return "/projects/" + url.PathEscape(c.Path)
	}
	owner, name, _ := strings.Cut(c.Path, "/")
	return "/repos/" + url.PathEscape(owner) + "/" + url.PathEscape(name)
}

// pulls returns the API path of pull requests.
func (c *Client) pulls() string {
	if c.Kind == GitLab {
		return c.repo() + "/merge_requests"
	}
	return c.repo() + "/pulls"
}

func (c *Client) update() string {
	if c.Kind == GitLab {
		return http.MethodPut
	}
	return http.MethodPatch
}

// textKey is the field with the text of a pull request or issue.
func (c *Client) textKey() string {
	if c.Kind == GitLab {
		return "description"
	}
	return "body"
}

// author is who wrote something. Only GitHub says what rights they have.
type author struct {
	User *person `json:"user"`
	Is   string  `json:"author_association"`
}

// mayWrite reports whether GitHub says that the author may write to the repository.
func (a author) mayWrite() bool { return a.Is == "OWNER" || a.Is == "MEMBER" || a.Is == "COLLABORATOR" }

// isStranger reports whether an author is neither a program, nor may write, nor is belay's account:
// anybody can write belay's mark into a comment.
func (c *Client) isStranger(ctx context.Context, a author) (bool, error) {
	if c.Kind != GitHub || a.User == nil || a.User.Type == "Bot" || a.mayWrite() {
		return false, nil
	}
	if c.me == nil {
		var me person
		_, err := c.call(ctx, http.MethodGet, "/user", nil, &me)
		if err != nil && status(err) != http.StatusForbidden { // an app's token, so its account is a Bot
			return false, err
		}
		c.me = &me
	}
	return c.me.Login == "" || c.me.Login != a.User.Login, nil
}

// item is a pull request or an issue, with the fields of all forges.
type item struct {
	author
	Number      int    `json:"number"`
	IID         int    `json:"iid"`
	HTML        string `json:"html_url"`
	Web         string `json:"web_url"`
	State       string `json:"state"`
	Title       string `json:"title"`
	Body        string `json:"body"`
	Description string `json:"description"`
	Merged      bool   `json:"merged"`
	MergedAt    string `json:"merged_at"`
	Source      string `json:"source_branch"`
	Target      string `json:"target_branch"`
	SourceOf    int    `json:"source_project_id"`
	TargetOf    int    `json:"target_project_id"`
	Head        struct {
		Ref  string      `json:"ref"`
		Repo *repository `json:"repo"`
	} `json:"head"`
	Base struct {
		Ref string `json:"ref"`
	} `json:"base"`
	PullRequest *struct{} `json:"pull_request"` // set for a GitHub issue that is a pull request
}

type repository struct {
	Full    string `json:"full_name"`
	Default string `json:"default_branch"`
}

func (c *Client) pull(i item) Pull {
	p := Pull{Number: i.Number, URL: i.HTML, State: i.State, Title: i.Title, Base: i.Base.Ref, body: i.Body}
	if c.Kind == GitLab {
		p.Number, p.URL, p.Base, p.body = i.IID, i.Web, i.Target, i.Description
	}
	switch {
	case i.Merged || i.MergedAt != "" || i.State == StateMerged:
		p.State = StateMerged
	case i.State == "opened" || i.State == "locked" || i.State == StateOpen:
		p.State = StateOpen
	default:
		p.State = StateClosed
	}
	return p
}

// DefaultBranch asks for the base branch of pull requests. It fails if the repository is not
// visible.
func (c *Client) DefaultBranch(ctx context.Context) (string, error) {
	var r repository
	_, err := c.call(ctx, http.MethodGet, c.repo(), nil, &r)
	return r.Default, err
}

// Branch returns the commit of a branch; "" if there is no such branch.
func (c *Client) Branch(ctx context.Context, name string) (string, error) {
	path := c.repo() + "/branches/" + branchPath(name)
	if c.Kind == GitLab {
		path = c.repo() + "/repository/branches/" + url.PathEscape(name)
	}
	var b struct {
		Commit struct {
			ID  string `json:"id"`
			SHA string `json:"sha"`
		} `json:"commit"`
	}
	_, err := c.call(ctx, http.MethodGet, path, nil, &b)
	if status(err) == http.StatusNotFound {
		return "", nil
	}
	return b.Commit.ID + b.Commit.SHA, err // each forge sets one of them
}

// branchPath escapes a branch's name for a path, except its slashes.
func branchPath(name string) string {
	return strings.ReplaceAll(url.PathEscape(name), "%2F", "/")
}

// Find returns the pull requests from a branch of this repository, the newest first. On Gitea these
// are the open one, or else the closed ones to base; with base "" only the open one.
func (c *Client) Find(ctx context.Context, branch, base string) ([]Pull, error) {
	owner, _, _ := strings.Cut(c.Path, "/")
	query := url.Values{}
	switch c.Kind {
	case GitHub:
		query = url.Values{"head": {owner + ":" + branch}, "state": {"all"}}
	case GitLab:
		query = url.Values{"source_branch": {branch}, "state": {"all"}}
	default:
		query = url.Values{"state": {StateOpen}}
	}
	list, err := pages[item](ctx, c, c.pulls()+"?"+query.Encode())
	if err != nil {
		return nil, err
	}
	out := c.ours(list, branch)
	if c.Kind == Gitea && len(out) == 0 && base != "" {
		list, err = c.closedOnGitea(ctx, branch, base)
		out = c.ours(list, branch)
	}
	return out, err
}

// closedOnGitea returns closed pull requests, among them those from a branch. Gitea's list has no
// filter for the branch, and the path that has one returns any one of them.
func (c *Client) closedOnGitea(ctx context.Context, branch, base string) ([]item, error) {
	var one item
	_, err := c.call(ctx, http.MethodGet, c.pulls()+"/"+url.PathEscape(base)+"/"+branchPath(branch), nil, &one)
	var none *statusError
	if errors.As(err, &none) && none.status == http.StatusNotFound {
		if none.says != "" { // an old Gitea without this path says nothing
			return nil, nil
		}
	} else if err != nil {
		return nil, err
	}
	list, err := pages[item](ctx, c, c.pulls()+"?state=closed&sort=recentupdate")
	if len(list) > 0 && none == nil {
		return append(list, one), nil // also if there are more than can be read
	}
	return list, err
}

// ours returns the pull requests from a branch of this repository.
func (c *Client) ours(list []item, branch string) (out []Pull) {
	for _, i := range list {
		ours := i.Head.Ref == branch && (i.Head.Repo == nil || strings.EqualFold(i.Head.Repo.Full, c.Path))
		if c.Kind == GitLab {
			ours = i.Source == branch && i.SourceOf == i.TargetOf
		}
		if ours {
			out = append(out, c.pull(i))
		}
	}
	return out
}

// FindOpen returns the open pull request from a branch of this repository; nil for none.
func (c *Client) FindOpen(ctx context.Context, branch string) (*Pull, error) {
	list, err := c.Find(ctx, branch, "")
	if i := slices.IndexFunc(list, func(p Pull) bool { return p.State == StateOpen }); i >= 0 {
		return &list[i], err
	}
	return nil, err
}

// OpenRequest describes a pull request to open.
type OpenRequest struct {
	Title, Text string
	Head, Base  string
	Mark        string // identifies belay's text when it is updated: a task
	Draft       bool
	Again       bool // even if a person closed one
}

// Opened is a pull request, and what Open did: opened, updated, unchanged.
type Opened struct {
	Pull
	Did string `json:"did"`
}

// Open opens a pull request, or updates the branch's open one: only the text between belay's marks,
// nothing that a person wrote. Error: CodeRefused if a person closed the existing one. It can be
// repeated after any error.
func (c *Client) Open(ctx context.Context, q OpenRequest) (Opened, error) {
	var last error
	for try := 1; try <= tries; try++ {
		list, err := c.Find(ctx, q.Head, q.Base)
		if err != nil {
			return Opened{}, err
		}
		closed := Pull{}
		for _, p := range list {
			switch {
			case p.State == StateOpen:
				return c.refresh(ctx, p, q)
			case p.State == StateClosed && closed.Number == 0:
				closed = p
			}
		}
		if closed.Number != 0 && !q.Again && last == nil {
			return Opened{}, belay.Refuse(belay.CodeRefused, "reopen it there, or open another with --again",
				"pull request %d of this branch was closed: %s", closed.Number, belay.VisibleLine(closed.URL))
		}
		made, err := c.create(ctx, q)
		if err == nil {
			return Opened{made, "opened"}, nil
		}
		s := status(err)
		exists := (s == http.StatusUnprocessableEntity || s == http.StatusConflict) && strings.Contains(err.Error(), "already exists")
		if last = err; !exists && s != 0 && s < 500 || ctx.Err() != nil {
			return Opened{}, err
		}
		if err := c.wait(ctx, time.Duration(try)*time.Second); err != nil { // it may exist although the answer was an error
			return Opened{}, err
		}
	}
	return Opened{}, last
}

func (c *Client) create(ctx context.Context, q OpenRequest) (Pull, error) {
	title := q.Title
	in := map[string]any{"head": q.Head, "base": q.Base, "body": between("", q.Mark, q.Text)}
	switch c.Kind {
	case GitHub:
		in["draft"] = q.Draft
	case GitLab:
		if q.Draft {
			title = "Draft: " + title
		}
		in = map[string]any{"source_branch": q.Head, "target_branch": q.Base, "description": between("", q.Mark, q.Text)}
	default:
		if q.Draft {
			title = "WIP: " + title
		}
	}
	in["title"] = title
	var i item
	_, err := c.call(ctx, http.MethodPost, c.pulls(), in, &i)
	return c.pull(i), err
}

func (c *Client) refresh(ctx context.Context, p Pull, q OpenRequest) (Opened, error) {
	text := between(p.body, q.Mark, q.Text)
	if text == strings.ReplaceAll(p.body, "\r\n", "\n") {
		return Opened{p, "unchanged"}, nil
	}
	var i item
	if _, err := c.call(ctx, c.update(), fmt.Sprintf("%s/%d", c.pulls(), p.Number), map[string]any{c.textKey(): text}, &i); err != nil {
		return Opened{}, err
	}
	now := c.pull(i)
	if now.State != StateOpen {
		return Opened{}, belay.Refuse(belay.CodeRefused, "reopen it there, or open another with --again",
			"pull request %d was closed meanwhile", p.Number)
	}
	return Opened{now, "updated"}, nil
}

// between returns was with the text between belay's marks replaced, or added at the end.
func between(was, mark, text string) string {
	begin, end := "<!-- belay:"+mark+" -->", "<!-- /belay:"+mark+" -->"
	text = begin + "\n" + strings.TrimSpace(text) + "\n" + end
	was = strings.ReplaceAll(was, "\r\n", "\n")
	from := strings.Index(was, begin)
	if to := strings.Index(was, end); from >= 0 && to > from {
		return was[:from] + text + was[to+len(end):]
	}
	if was = strings.TrimRight(was, "\n"); was != "" {
		return was + "\n\n" + text
	}
	return text
}

// Issue is an issue on a forge.
type Issue struct {
	Number int    `json:"number"`
	URL    string `json:"url"`
	Made   bool   `json:"made"` // false: it existed
}

// FileIssue opens an issue, unless an open one contains the mark.
func (c *Client) FileIssue(ctx context.Context, title, text, mark string) (Issue, error) {
	query := url.Values{"state": {"open"}}
	switch c.Kind {
	case GitLab:
		query = url.Values{"state": {"opened"}, "search": {"belay:" + mark}, "in": {"description"}}
	case Gitea:
		query.Set("type", "issues")
	}
	body := between("", mark, text)
	begin, _, _ := strings.Cut(body, "\n")
	list, err := pages[item](ctx, c, c.repo()+"/issues?"+query.Encode())
	if err != nil {
		return Issue{}, err
	}
	for _, i := range list {
		p := c.pull(i)
		if i.PullRequest != nil || !strings.Contains(p.body, begin) {
			continue
		}
		if other, err := c.isStranger(ctx, i.author); err != nil || !other {
			return Issue{p.Number, p.URL, false}, err
		}
	}
	var i item
	_, err = c.call(ctx, http.MethodPost, c.repo()+"/issues", map[string]any{"title": title, c.textKey(): body}, &i)
	p := c.pull(i)
	return Issue{p.Number, p.URL, true}, err
}

// comment is a comment on a pull request.
type comment struct {
	author
	ID   int64  `json:"id"`
	Body string `json:"body"`
	HTML string `json:"html_url"`
}

// Comment writes a comment on a pull request, or updates the one with the mark. did is written,
// updated or unchanged.
func (c *Client) Comment(ctx context.Context, number int, text, mark string) (did string, err error) {
	list := fmt.Sprintf("%s/issues/%d/comments", c.repo(), number)
	if c.Kind == GitLab {
		list = fmt.Sprintf("%s/merge_requests/%d/notes", c.repo(), number)
	}
	body := between("", mark, text)
	begin, _, _ := strings.Cut(body, "\n")
	all, err := pages[comment](ctx, c, list)
	if err != nil {
		return "", err
	}
	for _, one := range all {
		if !strings.HasPrefix(one.Body, begin) {
			continue
		}
		if other, err := c.isStranger(ctx, one.author); err != nil {
			return "", err
		} else if other {
			continue
		}
		if strings.ReplaceAll(one.Body, "\r\n", "\n") == body {
			return "unchanged", nil
		}
		at := fmt.Sprintf("%s/issues/comments/%d", c.repo(), one.ID)
		if c.Kind == GitLab {
			at = list + "/" + strconv.FormatInt(one.ID, 10)
		}
		_, err := c.call(ctx, c.update(), at, map[string]any{"body": body}, nil)
		return "updated", err
	}
	_, err = c.call(ctx, http.MethodPost, list, map[string]any{"body": body}, nil)
	return "written", err
}

// Check is the state of one check of a commit: pass, fail or pending.
type Check struct {
	Name  string `json:"name"`
	State string `json:"state"`
	URL   string `json:"url,omitempty"`

	id   int64  // of a GitHub check run
	says string // its own summary
}

// States of checks.
const (
	Passed  = "pass"
	Failed  = "fail"
	Pending = "pending"
)

// Checks returns the running and completed checks of a commit.
func (c *Client) Checks(ctx context.Context, commit string) ([]Check, error) {
	switch c.Kind {
	case GitHub:
		return c.checkRuns(ctx, commit)
	case GitLab:
		var out []Check
		list, err := pages[struct {
			Name, Status string
			URL          string `json:"target_url"`
			Allowed      bool   `json:"allow_failure"`
		}](ctx, c, c.repo()+"/repository/commits/"+commit+"/statuses")
		for _, s := range list {
			if !s.Allowed {
				out = append(out, Check{Name: s.Name, State: stateOf(s.Status), URL: s.URL})
			}
		}
		return out, err
	}
	var out []Check
	list, err := pages[contextStatus](ctx, c, c.repo()+"/commits/"+commit+"/statuses")
	return append(out, newest(list)...), err
}

// contextStatus is a commit status of GitHub and Gitea. Gitea has Status instead of State.
type contextStatus struct {
	Context string `json:"context"`
	State   string `json:"state"`
	Status  string `json:"status"`
	URL     string `json:"target_url"`
}

// newest keeps the first status of each name: forges list the newest first.
func newest(list []contextStatus) (out []Check) {
	seen := map[string]bool{}
	for _, s := range list {
		if !seen[s.Context] {
			seen[s.Context] = true
			out = append(out, Check{Name: s.Context, State: stateOf(s.State + s.Status), URL: s.URL})
		}
	}
	return out
}

// checkRuns returns both kinds of checks on GitHub: check runs of apps, and statuses.
func (c *Client) checkRuns(ctx context.Context, commit string) (out []Check, err error) {
	for page := 1; page <= mostPages; page++ {
		var runs struct {
			Runs []struct {
				ID                       int64
				Name, Status, Conclusion string
				URL                      string `json:"html_url"`
				Output                   struct{ Title, Summary string }
			} `json:"check_runs"`
		}
		header, err := c.call(ctx, http.MethodGet, fmt.Sprintf("%s/commits/%s/check-runs?per_page=%d&page=%d", c.repo(), commit,
			onePage, page), nil, &runs)
		if err != nil {
			return nil, err
		}
		for _, r := range runs.Runs {
			state := Pending
			if r.Status == "completed" {
				state = stateOf(r.Conclusion)
			}
			out = append(out, Check{Name: r.Name, State: state, URL: r.URL, id: r.ID,
				says: strings.TrimSpace(r.Output.Title + "\n" + r.Output.Summary)})
		}
		if !strings.Contains(header.Get("Link"), `rel="next"`) {
			break
		}
	}
	list, err := pages[contextStatus](ctx, c, c.repo()+"/commits/"+commit+"/statuses")
	return append(out, newest(list)...), err
}

// stateOf maps the states of the forges to three. An unknown one is a failure.
func stateOf(word string) string {
	switch word {
	case "success", "neutral", "skipped":
		return Passed
	case "pending", "queued", "in_progress", "running", "created", "waiting", "requested", "manual", "scheduled", "preparing",
		"waiting_for_resource":
		return Pending
	}
	return Failed
}
