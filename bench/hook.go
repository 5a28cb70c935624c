package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// hooks measures calls of `belay hook` in a repository of n files, as separate processes, without a
// watch and with one: an event that needs nothing, one before a tool when nothing changed, and one
// after a tool that edited a file. It prints the 50th, 90th and 99th percentile of each, and the
// median of the processor time. An empty Go program takes turns with them.
func (b *bench) hooks(n int) error {
	dir := filepath.Join(b.place, fmt.Sprintf("hooks-%d", n))
	if err := generate(dir, n); err != nil {
		return err
	}
	b.head2(fmt.Sprintf("Hook calls, %d files, %d of each", n, b.rounds))
	empty, err := b.empty()
	if err != nil {
		return err
	}
	if err := b.events(dir, n, empty, ""); err != nil {
		return err
	}
	watch := func(args ...string) error {
		cmd := exec.Command(b.belay, append([]string{"watch"}, args...)...)
		cmd.Dir, cmd.Env = dir, environ()
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("belay watch: %w: %s", err, out)
		}
		return nil
	}
	if err := watch(); err != nil {
		return err
	}
	defer func() { _ = watch("--stop") }()
	return b.events(dir, n, empty, ", watched")
}

func (b *bench) head2(title string) {
	fmt.Fprintf(b.out, "\n### %s\n\n| event | p50 | p90 | p99 | processor |\n|---|---|---|---|---|\n", title)
}

// events measures the rounds in one repository; the events take turns.
func (b *bench) events(dir string, n int, empty, how string) error {
	event := func(kind, more string) string {
		return fmt.Sprintf(`{"hook_event_name":%q,"session_id":"bench","cwd":%q%s}`, kind, dir, more)
	}
	tool := func(i int) string {
		return fmt.Sprintf(`,"tool_name":"Bash","tool_use_id":"t%d%s","tool_input":{"command":"make -j%d"}`, i, how, i)
	}
	if _, _, err := b.told(dir, event("UserPromptSubmit", `,"prompt":"go"`)); err != nil {
		return err
	}
	names := []string{"an empty Go program", "nothing to do: a tool that reads", "before a tool, nothing changed",
		"after a tool that edited a file"}
	times, worked := make([][]time.Duration, len(names)), make([][]time.Duration, len(names))
	for round := -3; round < b.rounds; round++ { // the first three are warm-up
		at := max(round, -round+b.rounds)
		steps := []func() (took, work time.Duration, err error){
			func() (took, work time.Duration, err error) { return timed(dir, "", empty) },
			func() (took, work time.Duration, err error) {
				return b.told(dir, event("PreToolUse", `,"tool_name":"Read","tool_use_id":"r","tool_input":{"file_path":"a"}`))
			},
			func() (took, work time.Duration, err error) { return b.told(dir, event("PreToolUse", tool(at))) },
			func() (took, work time.Duration, err error) {
				if err := edit(dir, n, 1, fmt.Sprintf("hook %d%s", at, how)); err != nil {
					return 0, 0, err
				}
				unix.Sync() // so that no measurement waits for the edit's unwritten data
				return b.told(dir, event("PostToolUse", tool(at)+`,"tool_response":{"stdout":"made"}`))
			},
		}
		for i, step := range steps {
			took, work, err := step()
			if err != nil {
				return err
			}
			if round >= 0 {
				times[i], worked[i] = append(times[i], took), append(worked[i], work)
			}
		}
	}
	for i, name := range names {
		slices.Sort(times[i])
		at := func(percent int) float64 {
			return float64(times[i][min(len(times[i])-1, len(times[i])*percent/100)]) / 1e6
		}
		fmt.Fprintf(b.out, "| %-44s | %6.1f ms | %6.1f ms | %6.1f ms | %6.1f ms |\n", name+how, at(50), at(90), at(99),
			float64(median(worked[i]))/1e6)
	}
	return nil
}

// told measures the wall time and processor time of a hook call.
func (b *bench) told(dir, event string) (took, work time.Duration, err error) {
	if took, work, err = timed(dir, event, b.belay, "hook", "claude"); err != nil {
		return 0, 0, err
	}
	if log, err := os.ReadFile(filepath.Join(dir, ".git", "belay", "hooks.log")); err == nil {
		return 0, 0, fmt.Errorf("belay hook: %s", log)
	}
	return took, work, nil
}

// timed runs a program that prints nothing, from the start of its process to its end.
func timed(dir, in string, argv ...string) (took, work time.Duration, err error) {
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Dir, cmd.Env, cmd.Stdin = dir, environ(), strings.NewReader(in)
	began := time.Now()
	out, err := cmd.CombinedOutput()
	took = time.Since(began)
	if err != nil || len(out) > 0 {
		return 0, 0, fmt.Errorf("%v: %w: %s", argv, err, out)
	}
	return took, cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime(), nil
}
