package main

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestServersSideBySide: ten tasks in parallel, each with a server on its worktree's port and a
// copy of the user's .env: all answer at the same time, each for its own task.
func TestServersSideBySide(t *testing.T) {
	t.Parallel()
	w := quietWorld(t, map[string]string{".gitignore": ".env\nset-up\n", ".worktreeinclude": ".env\n", "a.txt": "1\n",
		".belay/config.yaml": "worktree:\n  setup: [sh, -c, 'echo ready > set-up']\n"})
	w.write(".env", "TOKEN=1\n")
	give(t, w.up)
	const tasks = 10
	script := filepath.Join(w.up, "serve.sh")
	w.must(os.WriteFile(script, []byte("grep -q ready set-up && grep -q TOKEN .env || exit 1\n"+
		"server "+w.up+" &\n"+
		"while [ ! -e "+w.up+"/all-answer ]; do sleep 0.05; done\nkill $!\necho $BELAY_PORT_BASE > port-$BELAY_TASK.txt\n"), 0o755))
	give(t, w.up)
	for i := range tasks {
		w.succeed("task", "add", "serve", "--as-it-is", "--task", fmt.Sprint("S", i), "--test", "true", "--", "sh", script)
	}
	ended := make(chan ran, 1)
	go func() { ended <- w.belay("", "run", "--parallel", fmt.Sprint(tasks), "--trust") }()
	answered := map[string]bool{}
	for until := time.Now().Add(patience); len(answered) < tasks && time.Now().Before(until); time.Sleep(20 * time.Millisecond) {
		at, _ := filepath.Glob(filepath.Join(w.up, "port-of-*"))
		for _, file := range at {
			port, _ := os.ReadFile(file)
			if answer, err := http.Get("http://127.0.0.1:" + strings.TrimSpace(string(port))); err == nil {
				said, _ := io.ReadAll(answer.Body)
				answer.Body.Close()
				if want := strings.TrimPrefix(filepath.Base(file), "port-of-"); string(said) != want {
					t.Errorf("port %s answers for %q, want %s", port, said, want)
				}
				answered[filepath.Base(file)] = true
			}
		}
	}
	w.must(os.WriteFile(filepath.Join(w.up, "all-answer"), nil, 0o644))
	if got := <-ended; got.code != 0 || len(answered) != tasks {
		t.Fatalf("%d of %d servers answered\n%s", len(answered), tasks, got)
	}
}

// serveTask is the program of one task: it serves its port and its task's name.
func serveTask() {
	port, task := os.Getenv("BELAY_PORT_BASE"), os.Getenv("BELAY_TASK")
	if err := os.WriteFile(filepath.Join(os.Args[1], "port-of-"+task), []byte(port), 0o644); err != nil {
		panic(err)
	}
	panic(http.ListenAndServe("127.0.0.1:"+port, http.HandlerFunc(func(out http.ResponseWriter, _ *http.Request) {
		io.WriteString(out, task)
	})))
}
