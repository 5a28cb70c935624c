package web

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/belay-dev/belay/internal/app"
	"github.com/belay-dev/belay/internal/belay"
)

// watcher polls a repository's records while pages follow them, once for all pages.
type watcher struct {
	repo Repository

	mu        sync.Mutex
	followers map[chan string]string // the followed task of each; "" for all tasks
	stop      context.CancelFunc
}

// watchInterval is the time between two polls.
const watchInterval = 400 * time.Millisecond

// follow returns a channel of marks, one for each change, until leave is called.
func (w *watcher) follow(task string) (marks chan string, leave func()) {
	marks = make(chan string, 1)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.followers[marks] = task
	if w.stop == nil {
		ctx, stop := context.WithCancel(context.Background())
		w.stop = stop
		go w.run(ctx)
	}
	return marks, func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		delete(w.followers, marks)
		if len(w.followers) == 0 && w.stop != nil {
			w.stop()
			w.stop = nil
		}
	}
}

func (w *watcher) run(ctx context.Context) {
	tick := time.NewTicker(watchInterval)
	defer tick.Stop()
	last := map[string]string{}
	var svc *app.Service
	for {
		w.mu.Lock()
		tasks := map[string]bool{}
		for _, task := range w.followers {
			tasks[task] = true
		}
		w.mu.Unlock()
		if svc == nil { // again after the repository was unavailable
			svc, _ = w.repo.Open(ctx)
		}
		for task := range tasks {
			mark := "gone" // the page shows the error when it is loaded again
			if svc != nil {
				now, err := w.repo.mark(svc, belay.TaskID(task))
				if err == nil {
					mark = now
				} else {
					svc = nil
				}
			}
			if last[task] == mark {
				continue
			}
			last[task] = mark
			w.notify(task, mark)
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

func (w *watcher) notify(task, mark string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for to, of := range w.followers {
		if of != task {
			continue
		}
		select { // replace an unread mark by the newest
		case <-to:
		default:
		}
		to <- mark
	}
}

// events sends changes to a page until the page is closed. A page that reconnects with its last
// mark gets an event only if something changed in between.
func (s *Server) events(w http.ResponseWriter, r *http.Request) {
	n, err := strconv.Atoi(r.PathValue("repo"))
	if err != nil || n < 1 || n > len(s.watch) {
		http.Error(w, "belay ui: no such repository", http.StatusNotFound)
		return
	}
	task := ""
	if t := r.FormValue("task"); t != "" {
		id, err := belay.ParseTaskID(t)
		if err != nil {
			http.Error(w, "belay ui: "+err.Error(), http.StatusBadRequest)
			return
		}
		task = string(id)
	}
	repo := s.Repositories[n-1]
	svc, err := repo.Open(r.Context())
	if err != nil {
		http.Error(w, "belay ui: "+err.Error(), http.StatusNotFound)
		return
	}
	marks, leave := s.watch[n-1].follow(task)
	defer leave()
	flush := http.NewResponseController(w)
	_ = flush.SetWriteDeadline(time.Time{})
	w.Header().Set("Content-Type", "text/event-stream")
	had := r.Header.Get("Last-Event-ID")
	if had == "" {
		had = r.FormValue("mark") // the mark in the page
	}
	fmt.Fprintf(w, "retry: 1000\nid: %s\nevent: hello\ndata: \n\n", eventWord(had))
	if now, err := repo.mark(svc, belay.TaskID(task)); err == nil && now != had {
		had = now
		fmt.Fprintf(w, "id: %s\nevent: change\ndata: \n\n", now)
	}
	alive := time.NewTicker(20 * time.Second)
	defer alive.Stop()
	for {
		if flush.Flush() != nil {
			return
		}
		select {
		case <-r.Context().Done():
			return
		case <-alive.C:
			fmt.Fprint(w, ": alive\n\n")
		case mark := <-marks:
			if mark == had {
				continue
			}
			had = mark
			fmt.Fprintf(w, "id: %s\nevent: change\ndata: \n\n", mark)
		}
	}
}

// eventWord prevents a client's text from adding lines to an event stream.
func eventWord(s string) string {
	for _, c := range s {
		if c < '0' || c > '9' && c < 'a' || c > 'f' {
			return ""
		}
	}
	return s
}
