package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestGitProcesses limits the number of git processes of a run with one attempt. Each costs
// milliseconds, and a run that starts one for each object would start ten times as many without any
// other difference.
func TestGitProcesses(t *testing.T) {
	w := quietWorld(t, map[string]string{"a.txt": "one\n", "sub/b.txt": "two\n"})
	git, err := exec.LookPath("git")
	w.must(err)
	log := filepath.Join(w.up, "started")
	w.must(os.Mkdir(filepath.Join(w.up, "bin"), 0o755))
	script := fmt.Sprintf("#!/bin/sh\nprintf '%%s\\n' \"$*\" >> %q\nexec %q \"$@\"\n", log, git)
	w.must(os.WriteFile(filepath.Join(w.up, "bin", "git"), []byte(script), 0o755))
	give(t, w.up)
	args := []string{"run", "change it", "--as-it-is", "--task", "T1", "--files", "**", "--test", "true", "--", "sh", "-c", "echo more >> a.txt; echo new > new.txt"}
	c := exec.Command("belay", args...)
	c.Dir, c.Env = w.repo, append(w.env(), "PATH="+filepath.Join(w.up, "bin")+":"+os.Getenv("PATH"))
	asUser(c)
	if r := w.run(context.Background(), c, args); r.code != 0 {
		t.Fatal(r)
	}
	text, err := os.ReadFile(log)
	w.must(err)
	kinds := map[string]int{}
	all := 0
	for line := range strings.Lines(string(text)) {
		all++
		for _, kind := range []string{"cat-file", "diff-tree", "ls-tree", "for-each-ref", "check-ignore", "config"} {
			if strings.Contains(line, " "+kind+" ") {
				kinds[kind]++
			}
		}
	}
	t.Logf("%d git processes: %v", all, kinds)
	if most := 60; all > most || all < 10 {
		t.Errorf("a run of one attempt starts %d git processes, more than %d: %v\n%s", all, most, kinds, text)
	}
}
