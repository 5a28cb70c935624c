package web

import (
	"compress/gzip"
	"context"
	"crypto/sha256"
	"embed"
	"errors"
	"fmt"
	"html/template"
	"io/fs"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/belay-dev/belay/internal/app"
	"github.com/belay-dev/belay/internal/belay"
)

// Repository is a repository to show. Open opens it for each request, so that a server that runs
// for days uses the current config and records.
type Repository struct {
	Name string // name of its folder
	Root string
	Open func(context.Context) (*app.Service, error)
	// Fleet is set if the tasks run on other machines. Then Open opens a copy of their records,
	// without files.
	Fleet Fleet
}

// Options configure a server. Act runs one of belay's commands in a repository, for a person's
// decision. It returns when the command has ended, with its message as the error if it failed. With
// done, it also returns once done reports that the command had its effect; then the command
// continues without the server.
type Options struct {
	Version      string
	Repositories []Repository
	User         string // who decides, for the record
	Act          func(ctx context.Context, root string, done func() bool, args ...string) error
}

// Server serves pages. Link is the address to open, which works once.
type Server struct {
	Options
	Link  string
	guard *guard
	l     net.Listener
	watch []*watcher // one for each repository
	ages  []age      // choices of ages for a prune
}

//go:embed page/*.html
var pageFiles embed.FS

//go:embed static
var staticFiles embed.FS

// New listens on a port of the loopback interface, 0 for a free one. CodeCannot if it is in use.
func New(ctx context.Context, o Options, port int) (*Server, error) {
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
	if err != nil {
		return nil, &belay.Error{Code: belay.CodeCannot, What: fmt.Sprintf("cannot listen on port %d", port), Err: err,
			Try: "choose another --port, or leave it out"}
	}
	s := &Server{Options: o, guard: newGuard(l), l: l, ages: ages}
	s.Link = fmt.Sprintf("http://%s/?token=%s", l.Addr(), s.guard.link)
	for _, r := range o.Repositories {
		s.watch = append(s.watch, &watcher{repo: r, followers: map[chan string]string{}})
	}
	return s, nil
}

// Serve answers requests until ctx ends or, if idle is positive, until no request came for that
// long.
func (s *Server) Serve(ctx context.Context, idle time.Duration) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	handler := s.Handler()
	if idle > 0 {
		handler = stopWhenIdle(handler, idle, cancel)
	}
	h := &http.Server{Handler: handler, ReadHeaderTimeout: 10 * time.Second, ReadTimeout: time.Minute, IdleTimeout: 2 * time.Minute,
		MaxHeaderBytes: 64 << 10, BaseContext: func(net.Listener) context.Context { return ctx }}
	done := make(chan struct{})
	go func() {
		defer close(done)
		<-ctx.Done()
		closing, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
		defer cancel()
		if h.Shutdown(closing) != nil {
			_ = h.Close() // there are requests that do not end
		}
	}()
	err := h.Serve(s.l)
	if errors.Is(err, http.ErrServerClosed) {
		<-done
		return nil
	}
	return err
}

// stopWhenIdle calls end when there was no request for the time idle.
func stopWhenIdle(next http.Handler, idle time.Duration, end func()) http.Handler {
	var mu sync.Mutex
	open := 0
	over := time.AfterFunc(idle, end)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		open++
		over.Stop()
		mu.Unlock()
		defer func() {
			mu.Lock()
			if open--; open == 0 {
				over.Reset(idle)
			}
			mu.Unlock()
		}()
		next.ServeHTTP(w, r)
	})
}

// Handler returns the handler of all pages, behind the guard.
func (s *Server) Handler() http.Handler { return s.guard.protect(s.routes()) }

func (s *Server) routes() *http.ServeMux {
	mux := http.NewServeMux()
	files, _ := fs.Sub(staticFiles, "static")
	static := http.StripPrefix("/static/", http.FileServerFS(files))
	mux.HandleFunc("GET /static/", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Cache-Control", "private, max-age=86400, immutable") // the address changes with the content (assetAddress)
		static.ServeHTTP(w, r)
	})
	mux.HandleFunc("GET /{$}", s.home)
	for pattern, page := range map[string]func(*request) error{
		"GET /r/{repo}/{$}":                       (*request).overview,
		"GET /r/{repo}/task/{task}":               taskPage((*request).task),
		"GET /r/{repo}/task/{task}/output":        taskPage((*request).output),
		"GET /r/{repo}/task/{task}/record":        taskPage((*request).record),
		"GET /r/{repo}/task/{task}/pull":          taskPage((*request).pull),
		"GET /r/{repo}/task/{task}/export":        taskPage((*request).export),
		"POST /r/{repo}/task/{task}/decide":       taskPage((*request).decide),
		"POST /r/{repo}/task/{task}/comment":      taskPage((*request).comment),
		"POST /r/{repo}/task/{task}/review":       taskPage((*request).review),
		"GET /r/{repo}/feature/{feature}":         (*request).feature,
		"POST /r/{repo}/feature/{feature}/decide": (*request).decideFeature,
		"GET /r/{repo}/diff":                      (*request).diff,
		"GET /r/{repo}/image":                     (*request).image,
		"GET /r/{repo}/sessions":                  s.onlyLocal((*request).sessions),
		"GET /r/{repo}/session/{session}":         s.onlyLocal((*request).session),
		"GET /r/{repo}/snapshots":                 s.onlyLocal((*request).snapshots),
		"GET /r/{repo}/prune":                     s.onlyLocal((*request).prune),
		"POST /r/{repo}/prune":                    s.onlyLocal((*request).runPrune),
		"GET /r/{repo}/restore":                   s.onlyLocal((*request).preview),
		"POST /r/{repo}/restore":                  s.onlyLocal((*request).restore),
		"GET /r/{repo}/figures":                   (*request).figures,
		"GET /r/{repo}/figures/{figure}":          (*request).csv,
	} {
		mux.HandleFunc(pattern, s.serve(page))
	}
	mux.HandleFunc("GET /r/{repo}/events", s.events)
	return mux
}

// request is a request that is answered with a page.
type request struct {
	*http.Request
	s       *Server
	w       http.ResponseWriter
	n       int // the repository's number
	repo    Repository
	svc     *app.Service
	mark    string                    // the mark of the state shown, from before it was read
	capture func(page string, v view) // receives the pages instead of the browser
}

// taskPage returns a page about the task in its address.
func taskPage(page func(*request, belay.TaskID) error) func(*request) error {
	return func(q *request) error {
		id, err := belay.ParseTaskID(q.PathValue("task"))
		if err != nil {
			return err
		}
		return page(q, id)
	}
}

// serve opens the repository of a request and shows an error as a page.
func (s *Server) serve(page func(*request) error) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		q := &request{Request: r, s: s, w: w}
		err := q.open()
		if err == nil {
			err = page(q)
		}
		if err != nil && r.Context().Err() == nil {
			q.fail(err)
		}
	}
}

func (q *request) open() (err error) {
	n, err := strconv.Atoi(q.PathValue("repo"))
	if err != nil || n < 1 || n > len(q.s.Repositories) {
		return belay.Refuse(belay.CodeNotFound, "the list of repositories is on the first page", "no such repository is shown")
	}
	q.n, q.repo = n, q.s.Repositories[n-1]
	if q.svc, err = q.repo.Open(q.Context()); err != nil {
		return err
	}
	task, err := belay.ParseTaskID(q.PathValue("task"))
	if err != nil {
		task = ""
	}
	q.mark, err = q.repo.mark(q.svc, task)
	return err
}

func (s *Server) home(w http.ResponseWriter, r *http.Request) {
	if len(s.Repositories) == 1 {
		http.Redirect(w, r, "/r/1/", http.StatusSeeOther)
		return
	}
	q := &request{Request: r, s: s, w: w}
	type line struct {
		N          int
		Name, Root string
		Waiting    int
		Open       int
		Problem    string
	}
	var list []line
	for i, repo := range s.Repositories {
		l := line{N: i + 1, Name: repo.Name, Root: repo.Root}
		svc, err := repo.Open(r.Context())
		if err == nil {
			var tasks []app.TaskLine
			tasks, err = svc.Tasks()
			q.repo = repo
			rows, problems := q.rows(tasks)
			l.Problem = strings.Join(problems, "; ")
			for _, f := range q.features() {
				l.Waiting += len(f.Gates)
			}
			for _, t := range rows {
				if t.Waits != "" {
					l.Waiting++
				}
				if t.Phase != "closed" {
					l.Open++
				}
			}
		}
		if err != nil {
			l.Problem = err.Error()
		}
		list = append(list, l)
	}
	_ = q.show("home", "Repositories", list)
}

// assetAddress returns the address of a file below static, with a hash of its content.
func assetAddress(name string) (string, error) {
	text, err := staticFiles.ReadFile("static/" + name)
	sum := sha256.Sum256(text)
	return fmt.Sprintf("/static/%s?v=%x", name, sum[:6]), err
}

// livePages are the pages that are notified when what they show changes.
var livePages = map[string]bool{"overview": true, "task": true, "afar": true, "feature": true, "sessions": true, "session": true}

// view is the data of a page.
type view struct {
	Title   string
	Page    string
	Base    string // path of the repository's pages
	Repo    string
	Several bool
	Fleet   bool // tasks run on other machines
	Version string
	Key     string // for forms
	Events  string // address of events about changes; "" for a page that does not change
	Data    any
}

var pages = sync.OnceValue(func() map[string]*template.Template {
	all := map[string]*template.Template{}
	base := template.Must(template.New("base.html").Funcs(templateFunctions).ParseFS(pageFiles, "page/base.html"))
	names, _ := fs.Glob(pageFiles, "page/*.html")
	for _, n := range names {
		name := n[len("page/") : len(n)-len(".html")]
		if name != "base" {
			all[name] = template.Must(template.Must(base.Clone()).ParseFS(pageFiles, n))
		}
	}
	return all
})

func (q *request) show(page, title string, data any) error {
	return q.write(http.StatusOK, page, title, data)
}

// address returns the address of a page of the repository.
func (q *request) address(below string, args ...any) string {
	return fmt.Sprintf("/r/%d/", q.n) + fmt.Sprintf(below, args...)
}

// redirect makes the browser load another page.
func (q *request) redirect(address string) error {
	http.Redirect(q.w, q.Request, address, http.StatusSeeOther)
	return nil
}

// write sends a page. Its only error, that the browser has disconnected, is ignored.
func (q *request) write(status int, page, title string, data any) error {
	v := view{Title: title, Page: page, Version: q.s.Version, Several: len(q.s.Repositories) > 1, Key: q.s.guard.key(), Data: data}
	if q.n > 0 {
		v.Base, v.Repo, v.Fleet = fmt.Sprintf("/r/%d", q.n), q.repo.Name, q.repo.Fleet != nil
		if livePages[page] {
			v.Events = v.Base + "/events?mark=" + q.mark
			if task := q.PathValue("task"); task != "" {
				v.Events += "&task=" + template.URLQueryEscaper(task)
			}
		}
	}
	if q.capture != nil {
		q.capture(page, v)
		return nil
	}
	q.w.Header().Set("Content-Type", "text/html; charset=utf-8")
	// Pages compress to about a tenth, which matters through a tunnel.
	if strings.Contains(q.Header.Get("Accept-Encoding"), "gzip") {
		q.w.Header().Set("Content-Encoding", "gzip")
		q.w.WriteHeader(status)
		z, _ := gzip.NewWriterLevel(q.w, gzip.BestSpeed) // fails only for invalid levels
		_ = pages()[page].Execute(z, v)
		_ = z.Close()
		return nil
	}
	q.w.WriteHeader(status)
	_ = pages()[page].Execute(q.w, v)
	return nil
}

// fail shows an error, with a suggestion.
func (q *request) fail(err error) {
	status := http.StatusInternalServerError
	switch belay.CodeOf(err) {
	case belay.CodeNotFound:
		status = http.StatusNotFound
	case belay.CodeUsage, belay.CodeRefused:
		status = http.StatusBadRequest
	case belay.CodeBusy, belay.CodeDrift:
		status = http.StatusConflict
	}
	data := struct{ What, Try, Back string }{What: err.Error(), Back: "/"}
	var known *belay.Error
	if errors.As(err, &known) {
		data.Try = known.Try
	}
	if q.n > 0 {
		data.Back = q.address("")
		if task := q.PathValue("task"); task != "" && status != http.StatusNotFound {
			data.Back += "task/" + template.URLQueryEscaper(task)
		}
	}
	_ = q.write(status, "problem", "This did not work", data)
}
